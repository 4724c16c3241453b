import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'
import { FaucetError } from '../faucet-error.ts'
import { TIERS, type Tier } from '../tiers/tier.ts'

const CLAIM_STATES = [
  'reserved',
  /** The transaction is in the journal under `nonce` and may be in a pool. */
  'sent',
  /** Missing from the journal; the chain shows whether it was paid. */
  'unsure',
  'paid',
  /** Rejected by the recipient's code; still counts. */
  'reverted',
  'failed',
] as const
export type ClaimState = (typeof CLAIM_STATES)[number]

export interface Claim {
  readonly id: number
  readonly address: Address
  readonly subscriber: string
  readonly atMs: number
  /** Set when a wrong clock dated the claim in the future. */
  readonly noticedMs: number | null
  readonly tier: Tier
  readonly amountWei: bigint
  readonly gasLimit: bigint
  readonly state: ClaimState
  readonly nonce: bigint | null
  /** Transactions that may have been sent, oldest first. */
  readonly attempts: readonly Hash[]
  readonly resends: number
  readonly idempotencyKey: string | null
}

const LABEL = 'claim '

export function labelOf(claim: Pick<Claim, 'id'>): string {
  return `${LABEL}${claim.id}`
}

export function idOfLabel(label: string): number | null {
  const digits = label.startsWith(LABEL) ? label.slice(LABEL.length) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

/** A claim from the future counts from when it was noticed, so that a wrong clock blocks nobody forever. */
export function countedAtMs({ atMs, noticedMs }: Pick<Claim, 'atMs' | 'noticedMs'>, nowMs: number): number {
  if (atMs <= nowMs) return atMs
  return noticedMs !== null && noticedMs <= nowMs ? noticedMs : nowMs
}

export function isSettled(claim: Claim): boolean {
  return isMined(claim) || claim.state === 'failed'
}

/** A transaction of the claim was confirmed, whatever the recipient's code made of it. */
export function isMined({ state }: Claim): boolean {
  return state === 'paid' || state === 'reverted'
}

export function encodeClaim(claim: Claim): Uint8Array {
  const { amountWei, gasLimit, nonce, ...rest } = claim
  return new TextEncoder().encode(
    JSON.stringify({ ...rest, amountWei: String(amountWei), gasLimit: String(gasLimit), nonce: nonce === null ? null : String(nonce) }),
  )
}

export function decodeClaim(value: Uint8Array): Claim {
  try {
    const o = JSON.parse(new TextDecoder().decode(value)) as Record<string, unknown>
    if (!CLAIM_STATES.includes(o.state as ClaimState) || !TIERS.includes(o.tier as Tier))
      throw new Error(`state ${o.state}, tier ${o.tier}`)
    return {
      id: Number(o.id),
      address: toAddress(String(o.address)),
      subscriber: String(o.subscriber),
      atMs: Number(o.atMs),
      noticedMs: typeof o.noticedMs === 'number' ? o.noticedMs : null,
      tier: o.tier as Tier,
      amountWei: BigInt(String(o.amountWei)),
      gasLimit: BigInt(String(o.gasLimit)),
      state: o.state as ClaimState,
      nonce: o.nonce === null ? null : BigInt(String(o.nonce)),
      attempts: (o.attempts as string[]).map((hash) => toHash(hash)),
      resends: Number(o.resends),
      idempotencyKey: o.idempotencyKey === null ? null : String(o.idempotencyKey),
    }
  } catch (cause) {
    throw new FaucetError(
      'apps/faucet-record',
      'the store holds a claim that cannot be read: was it written by a newer release?',
      {},
      { cause },
    )
  }
}
