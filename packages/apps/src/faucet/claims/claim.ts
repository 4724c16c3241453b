/** One claim from its reservation to its payment, as it lies in the store. */
import { type Address, type Hash, toAddress, toHash } from '@keelson/primitives'
import { FaucetError } from '../faucet-error.ts'
import { TIERS, type Tier } from '../tiers/tier.ts'

export const CLAIM_STATES = [
  /** Counts against its quotas; nothing of it was ever sent. */
  'reserved',
  /** Its transaction is in the journal under `nonce`, and may be in any pool. */
  'sent',
  /** Its transaction left the journal without a receipt: paid or not, the chain will say. */
  'unsure',
  'paid',
  /** Mined, but the code of the recipient refused it. It still counts. */
  'reverted',
  /** Certainly not paid; it counts no more. */
  'failed',
] as const
export type ClaimState = (typeof CLAIM_STATES)[number]

export interface Claim {
  /** Ascending in the order of reservation. */
  readonly id: number
  readonly address: Address
  readonly subscriber: string
  readonly atMs: number
  /** When it was first seen to be dated in the future: the clock ran ahead. Null as long as it was not. */
  readonly noticedMs: number | null
  readonly tier: Tier
  readonly amountWei: bigint
  readonly gasLimit: bigint
  readonly state: ClaimState
  /** Of its last transaction; null before the first. */
  readonly nonce: bigint | null
  /** Hashes of every version of every transaction that may have been sent for it, oldest first. */
  readonly attempts: readonly Hash[]
  /** How often it was begun anew after the chain had shown that it was not paid. */
  readonly resends: number
  readonly idempotencyKey: string | null
}

const LABEL = 'claim '

export function labelOf(claim: Pick<Claim, 'id'>): string {
  return `${LABEL}${claim.id}`
}

/** Null for the label of something else. */
export function idOfLabel(label: string): number | null {
  const digits = label.startsWith(LABEL) ? label.slice(LABEL.length) : ''
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

/**
 * The time it counts from. One dated in the future counts from when that was noticed, so that a clock that ran ahead
 * blocks nobody for ever; when the clock was behind instead, its own date counts again as soon as it is past.
 */
export function countedAtMs({ atMs, noticedMs }: Pick<Claim, 'atMs' | 'noticedMs'>, nowMs: number): number {
  if (atMs <= nowMs) return atMs
  return noticedMs !== null && noticedMs <= nowMs ? noticedMs : nowMs
}

/** Nothing more will happen to it. */
export function isSettled({ state }: Claim): boolean {
  return state === 'paid' || state === 'reverted' || state === 'failed'
}

export function encodeClaim(claim: Claim): Uint8Array {
  const { amountWei, gasLimit, nonce, ...rest } = claim
  return new TextEncoder().encode(
    JSON.stringify({ ...rest, amountWei: String(amountWei), gasLimit: String(gasLimit), nonce: nonce === null ? null : String(nonce) }),
  )
}

/** Throws FaucetError `apps/faucet-record`. */
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
