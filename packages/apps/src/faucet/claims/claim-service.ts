import type { Address, Clock, Logger } from '@keelson/primitives'
import { type Metrics, withDeadline } from '@keelson/runtime'
import { type Captcha, checkCaptcha } from '../captcha.ts'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { Claim } from './claim.ts'
import type { ClaimAnswer, ClaimRefused } from './claim-answer.ts'
import { ClaimLimits, type ClaimLimitsOptions } from './claim-limits.ts'
import type { ClaimRecords } from './claim-records.ts'
import type { Payments } from './payments.ts'
import type { QuotaLedger } from './quota-ledger.ts'
import { type Payable, parseRecipient } from './recipient.ts'
import type { Treasury } from './treasury.ts'

export interface ClaimRequest {
  readonly address: string
  readonly captcha: string | null
  readonly subscriber: string
  readonly remoteIp: string
  /** A request with an earlier key gets the earlier response. */
  readonly idempotencyKey: string | null
}

export interface ClaimServiceOptions extends ClaimLimitsOptions {
  readonly answerTimeoutMs: number
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

type Counter = ReturnType<Metrics['counter']>

export class ClaimService {
  readonly #options: ClaimServiceOptions
  readonly #deps: ClaimServiceDependencies
  readonly #limits: ClaimLimits
  readonly #counted: Counter | undefined
  readonly #underWay = new Map<number, Promise<ClaimAnswer>>()

  constructor(options: ClaimServiceOptions, deps: ClaimServiceDependencies) {
    this.#options = options
    this.#deps = deps
    this.#limits = new ClaimLimits(options, deps)
    this.#counted = deps.metrics?.counter('claims_total', 'Claims by outcome', ['outcome'])
  }

  nextClaimAtMs(subscriber: string): number {
    return this.#limits.nextOf(subscriber)
  }

  async claim(request: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer> {
    const answer = await this.#decide(request, signal)
    this.#counted?.inc(1, { outcome: answer.ok ? 'paid' : answer.reason })
    return answer
  }

  async #decide(request: ClaimRequest, signal: AbortSignal): Promise<ClaimAnswer> {
    const { subscriber } = request
    const recipient = parseRecipient(request.address, this.#deps.treasury.address)
    if (!recipient.ok) return this.#limits.refuse(subscriber, recipient.reason, recipient.text)
    const { address } = recipient
    const before = this.#repeated(request, address)
    if (before !== null) return before
    const refusal = this.#limits.check(address, subscriber) ?? (await this.#checkCaptcha(request, signal))
    if (refusal !== null) return refusal
    const found = await this.#payable(address, subscriber)
    if (!found.ok) return 'nextClaimAtMs' in found ? found : this.#limits.refuse(subscriber, found.reason, found.text)
    return this.#repeated(request, address) ?? this.#reserve(request, address, found.gasLimit)
  }

  async #checkCaptcha({ captcha, remoteIp, subscriber }: ClaimRequest, signal: AbortSignal): Promise<ClaimRefused | null> {
    const refusal = await checkCaptcha(this.#deps.captcha, captcha, remoteIp, signal)
    if (refusal === null) return null
    const nextMs = this.nextClaimAtMs(subscriber)
    const retryMs = refusal.reason === 'captcha' ? nextMs : this.#limits.soon(nextMs)
    return this.#limits.refuse(subscriber, refusal.reason, refusal.text, retryMs)
  }

  async #payable(address: Address, subscriber: string): Promise<Payable | ClaimRefused> {
    try {
      return await this.#deps.treasury.payable(address)
    } catch (error) {
      this.#deps.log.warn('cannot check a recipient', { address, error })
      const soonMs = this.#limits.soon(this.nextClaimAtMs(subscriber))
      return this.#limits.refuse(subscriber, 'node-unavailable', 'the chain is unavailable at the moment: try again in a minute', soonMs)
    }
  }

  /** Checks quotas and reserves in one synchronous step, so that concurrent claims cannot both pass. */
  #reserve(request: ClaimRequest, address: Address, gasLimit: bigint): ClaimRefused | Promise<ClaimAnswer> {
    const { records, ledger, tiers, clock } = this.#deps
    const refusal = this.#limits.check(address, request.subscriber)
    if (refusal !== null) return refusal
    const claim: Claim = {
      id: records.nextId(),
      address,
      subscriber: request.subscriber,
      atMs: clock.nowMs(),
      noticedMs: null,
      tier: tiers.tierOf(address),
      amountWei: this.#options.amountWei,
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
    const answer = written.then(() => this.#payAndAnswer(claim)).finally(() => this.#underWay.delete(claim.id))
    this.#underWay.set(claim.id, answer)
    return answer
  }

  #repeated({ idempotencyKey, subscriber }: ClaimRequest, address: Address): Promise<ClaimAnswer> | ClaimAnswer | null {
    const earlier = idempotencyKey === null ? undefined : this.#deps.records.byIdempotencyKey(idempotencyKey)
    if (earlier === undefined || earlier.state === 'failed') return null
    if (earlier.address !== address) {
      const text = 'this Idempotency-Key was used for another address: use a new one'
      return this.#limits.refuse(subscriber, 'idempotency-key', text)
    }
    return this.#underWay.get(earlier.id) ?? this.#answerFor(earlier.id)
  }

  async #payAndAnswer(claim: Claim): Promise<ClaimAnswer> {
    const { clock, payments } = this.#deps
    const placement = await withDeadline(payments.pay(claim.id), { clock, ms: this.#options.answerTimeoutMs, onTimeout: () => null })
    if (placement?.kind !== 'failed') return this.#answerFor(claim.id)
    const empty = placement.error.code === 'client/insufficient-funds'
    const text = empty ? 'the faucet is empty: contact its operator' : 'the payment could not be sent and does not count: claim again later'
    const soonMs = this.#limits.soon(this.#limits.nextAfter(claim))
    return this.#limits.refuse(claim.subscriber, empty ? 'faucet-empty' : 'not-sent', text, soonMs)
  }

  #answerFor(id: number): ClaimAnswer {
    const claim = this.#deps.records.get(id)
    if (claim === undefined || claim.state === 'failed') {
      return this.#limits.refuse(claim?.subscriber ?? '', 'not-sent', 'the payment failed and does not count: claim again')
    }
    const nextClaimAtMs = this.#limits.nextAfter(claim)
    const txHash = claim.attempts.at(-1)
    if (txHash === undefined || claim.state === 'reserved' || claim.state === 'unsure') {
      const text = 'your claim is reserved and will be paid; check /api/status'
      return this.#limits.refuse(claim.subscriber, 'under-way', text, nextClaimAtMs)
    }
    return { ok: true, txHash, amountWei: claim.amountWei, nextClaimAtMs }
  }
}
