/**
 * Decides claims. Quotas are checked again in the same synchronous step as the reservation, so that concurrent claims cannot both
 * pass.
 */
import type { Address, Clock, Hash, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { Captcha } from '../captcha.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { Claim } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'
import type { Payments } from './payments.ts'
import type { QuotaLedger } from './quota-ledger.ts'
import { type Payable, parseRecipient, type Refused } from './recipient.ts'

export interface ClaimRequest {
  readonly address: string
  readonly captcha: string | null
  /** Key from `subscriberOf`. */
  readonly subscriber: string
  readonly remoteIp: string
  /** A repeated key returns the earlier response. */
  readonly idempotencyKey: string | null
}

export type ClaimRefusal =
  | Refused['reason']
  | 'captcha'
  | 'captcha-unavailable'
  | 'address-limit'
  | 'ip-limit'
  | 'budget-spent'
  | 'idempotency-key'
  | 'busy'
  | 'faucet-empty'
  | 'node-unavailable'
  | 'not-sent'
  /** The claim is reserved and will be paid. */
  | 'under-way'

export interface ClaimPaid {
  readonly ok: true
  readonly txHash: Hash
  readonly amountWei: bigint
  readonly nextClaimAtMs: number
}
export interface ClaimRefused {
  readonly ok: false
  readonly reason: ClaimRefusal
  readonly text: string
  readonly nextClaimAtMs: number
}
export type ClaimAnswer = ClaimPaid | ClaimRefused

export interface ClaimServiceOptions {
  readonly amountWei: bigint
  /** Limit of claims that are reserved or in progress. */
  readonly maxUnsettled: number
  readonly answerTimeoutMs: number
}

export interface Treasury {
  readonly address: Address
  /** Null before the node's first response. */
  readonly balanceWei: bigint | null
  /** Null when payments are possible. */
  trouble(): { readonly reason: string } | null
  /** Throws ClientError. */
  payable(to: Address): Promise<Payable>
}

export interface ClaimServiceDependencies {
  readonly records: ClaimRecords
  readonly ledger: QuotaLedger
  readonly tiers: Pick<TierRecords, 'tierOf'>
  readonly payments: Pick<Payments, 'pay'>
  readonly treasury: Treasury
  readonly captcha: Captcha
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export interface ClaimService {
  /** Rejects only when the store fails. */
  claim(request: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer>
  nextClaimAtMs(subscriber: string): number
}

const SOON_MS = 10_000
/** Reserve for fees of pending payments. */
const FEE_RESERVE_WEI = 10n ** 16n

export function createClaimService(options: ClaimServiceOptions, deps: ClaimServiceDependencies): ClaimService {
  const { records, ledger, tiers, payments, treasury, captcha, clock, log } = deps
  const counted = deps.metrics?.counter('claims_total', 'Claims by outcome', ['outcome'])
  const underWay = new Map<number, Promise<ClaimAnswer>>()

  const nextClaimAtMs = (subscriber: string) => ledger.nextOf(subscriber, clock.nowMs())

  const nextOf = (claim: Pick<Claim, 'address' | 'subscriber'>) => {
    const { address, subscriber, network, budget } = ledger.next({ ...claim, tier: tiers.tierOf(claim.address) }, clock.nowMs())
    return Math.max(address, subscriber, network, budget)
  }

  const refuse = (subscriber: string, reason: ClaimRefusal, text: string, nextMs = nextClaimAtMs(subscriber)): ClaimRefused => ({
    ok: false,
    reason,
    text,
    nextClaimAtMs: nextMs,
  })

  function limitOf(address: Address, subscriber: string): ClaimRefused | null {
    const nowMs = clock.nowMs()
    const tier = tiers.tierOf(address)
    const next = ledger.next({ address, subscriber, tier }, nowMs)
    const nextMs = Math.max(next.address, next.subscriber, next.network, next.budget)
    if (nextMs <= nowMs) return null
    const when = new Date(nextMs).toISOString()
    if (next.address > nowMs) {
      return refuse(subscriber, 'address-limit', `${address} has used all its claims as ${tier}: claim again after ${when}`, nextMs)
    }
    if (next.subscriber > nowMs) {
      return refuse(subscriber, 'ip-limit', `your IP address has used all its claims of the day: claim again after ${when}`, nextMs)
    }
    if (next.network > nowMs) {
      return refuse(
        subscriber,
        'ip-limit',
        `the network around your IP address has used all its claims of the day: claim again after ${when}`,
        nextMs,
      )
    }
    return refuse(subscriber, 'budget-spent', `the faucet has reached its daily limit: claim again after ${when}`, nextMs)
  }

  /** Amounts of unsettled claims are unavailable. */
  function capacity(subscriber: string): ClaimRefused | null {
    const soon = Math.max(nextClaimAtMs(subscriber), clock.nowMs() + SOON_MS)
    const trouble = treasury.trouble()
    if (trouble !== null) return refuse(subscriber, 'node-unavailable', `the faucet cannot pay at the moment: ${trouble.reason}`, soon)
    if (records.unsettledCount >= options.maxUnsettled) {
      return refuse(subscriber, 'busy', `${records.unsettledCount} claims are in progress: try again in a minute`, soon)
    }
    const promisedWei = BigInt(records.unsettledCount) * options.amountWei
    if (treasury.balanceWei !== null && treasury.balanceWei < promisedWei + options.amountWei + FEE_RESERVE_WEI) {
      return refuse(subscriber, 'faucet-empty', 'the faucet is empty: contact its operator', soon)
    }
    return null
  }

  async function judgeCaptcha({ captcha: token, remoteIp, subscriber }: ClaimRequest, signal: AbortSignal): Promise<ClaimRefused | null> {
    if (!captcha.required) return null
    if (token === null || token === '')
      return refuse(subscriber, 'captcha', 'this faucet requires a captcha: send its response as "captcha"')
    const verdict = await captcha.check(token, remoteIp, signal)
    if (verdict === 'passed') return null
    if (verdict === 'refused') return refuse(subscriber, 'captcha', 'the captcha failed or has expired: solve it again')
    const soon = Math.max(nextClaimAtMs(subscriber), clock.nowMs() + SOON_MS)
    return refuse(subscriber, 'captcha-unavailable', 'the captcha cannot be checked at the moment: try again in a minute', soon)
  }

  async function payable(address: Address, subscriber: string): Promise<Payable | ClaimRefused> {
    try {
      return await treasury.payable(address)
    } catch (error) {
      log.warn('cannot check a recipient', { address, error })
      const soon = Math.max(nextClaimAtMs(subscriber), clock.nowMs() + SOON_MS)
      return refuse(subscriber, 'node-unavailable', 'the chain is unavailable at the moment: try again in a minute', soon)
    }
  }

  function answerFor(id: number): ClaimAnswer {
    const claim = records.get(id)
    if (claim === undefined || claim.state === 'failed') {
      return refuse(claim?.subscriber ?? '', 'not-sent', 'the payment failed and does not count: claim again')
    }
    const txHash = claim.attempts.at(-1)
    if (txHash === undefined || claim.state === 'reserved' || claim.state === 'unsure') {
      const text = 'your claim is reserved and will be paid; check /api/status'
      return refuse(claim.subscriber, 'under-way', text, nextOf(claim))
    }
    return { ok: true, txHash, amountWei: claim.amountWei, nextClaimAtMs: nextOf(claim) }
  }

  async function payAndAnswer(claim: Claim): Promise<ClaimAnswer> {
    const patience = new AbortController()
    const late = clock.sleep(options.answerTimeoutMs, patience.signal).then(
      () => null,
      () => null,
    )
    const placement = await Promise.race([payments.pay(claim.id), late])
    patience.abort()
    if (placement?.kind !== 'failed') return answerFor(claim.id)
    const empty = placement.error.code === 'client/insufficient-funds'
    const text = empty ? 'the faucet is empty: contact its operator' : 'the payment could not be sent and does not count: claim again later'
    const soon = Math.max(nextOf(claim), clock.nowMs() + SOON_MS)
    return refuse(claim.subscriber, empty ? 'faucet-empty' : 'not-sent', text, soon)
  }

  /** Runs synchronously up to `reserve`, so that concurrent claims see each other. */
  function reserve(request: ClaimRequest, address: Address, gasLimit: bigint): ClaimRefused | Promise<ClaimAnswer> {
    const refusal = limitOf(address, request.subscriber) ?? capacity(request.subscriber)
    if (refusal !== null) return refusal
    const claim: Claim = {
      id: records.nextId(),
      address,
      subscriber: request.subscriber,
      atMs: clock.nowMs(),
      noticedMs: null,
      tier: tiers.tierOf(address),
      amountWei: options.amountWei,
      gasLimit,
      state: 'reserved',
      nonce: null,
      attempts: [],
      resends: 0,
      idempotencyKey: request.idempotencyKey,
    }
    ledger.count(claim, clock.nowMs())
    const written = records.reserve(claim).catch((error: unknown) => {
      ledger.discount(claim.id)
      throw error
    })
    const answer = written.then(() => payAndAnswer(claim)).finally(() => underWay.delete(claim.id))
    underWay.set(claim.id, answer)
    return answer
  }

  function repeated({ idempotencyKey, subscriber }: ClaimRequest, address: Address): Promise<ClaimAnswer> | ClaimAnswer | null {
    const earlier = idempotencyKey === null ? undefined : records.byIdempotencyKey(idempotencyKey)
    if (earlier === undefined || earlier.state === 'failed') return null
    if (earlier.address !== address)
      return refuse(subscriber, 'idempotency-key', 'this Idempotency-Key was used for another address: use a new one')
    return underWay.get(earlier.id) ?? answerFor(earlier.id)
  }

  async function decide(request: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer> {
    const { subscriber } = request
    const recipient = parseRecipient(request.address, treasury.address)
    if (!recipient.ok) return refuse(subscriber, recipient.reason, recipient.text)
    const { address } = recipient
    const before = repeated(request, address)
    if (before !== null) return before
    const refusal = limitOf(address, subscriber) ?? capacity(subscriber) ?? (await judgeCaptcha(request, signal))
    if (refusal !== null) return refusal
    const found = await payable(address, subscriber)
    if (!found.ok) return 'nextClaimAtMs' in found ? found : refuse(subscriber, found.reason, found.text)
    return repeated(request, address) ?? reserve(request, address, found.gasLimit)
  }

  return {
    nextClaimAtMs,
    async claim(request, signal) {
      const answer = await decide(request, signal)
      counted?.inc(1, { outcome: answer.ok ? 'paid' : answer.reason })
      return answer
    },
  }
}
