import type { Address, Clock } from '@keelson/primitives'
import type { TierRecords } from '../tiers/tier-records.ts'
import type { Claim } from './claim.ts'
import type { ClaimRefusal, ClaimRefused } from './claim-answer.ts'
import type { ClaimRecords } from './claim-records.ts'
import type { QuotaLedger } from './quota-ledger.ts'
import type { Treasury } from './treasury.ts'

export interface ClaimLimitsOptions {
  readonly amountWei: bigint
  readonly maxUnsettled: number
}

export interface ClaimLimitsDependencies {
  readonly records: Pick<ClaimRecords, 'unsettledCount'>
  readonly ledger: QuotaLedger
  readonly tiers: Pick<TierRecords, 'tierOf'>
  readonly treasury: Pick<Treasury, 'balanceWei' | 'trouble'>
  readonly clock: Clock
}

const SOON_MS = 10_000
/** Reserved for the fees of pending payments. */
const FEE_RESERVE_WEI = 10n ** 16n

export class ClaimLimits {
  readonly #options: ClaimLimitsOptions
  readonly #deps: ClaimLimitsDependencies

  constructor(options: ClaimLimitsOptions, deps: ClaimLimitsDependencies) {
    this.#options = options
    this.#deps = deps
  }

  nextOf(subscriber: string): number {
    return this.#deps.ledger.nextOf(subscriber, this.#deps.clock.nowMs())
  }

  nextAfter(claim: Pick<Claim, 'address' | 'subscriber'>): number {
    const next = this.#next(claim.address, claim.subscriber, this.#deps.clock.nowMs())
    return Math.max(next.address, next.subscriber, next.network, next.budget)
  }

  soon(nextMs: number): number {
    return Math.max(nextMs, this.#deps.clock.nowMs() + SOON_MS)
  }

  refuse(subscriber: string, reason: ClaimRefusal, text: string, nextClaimAtMs = this.nextOf(subscriber)): ClaimRefused {
    return { ok: false, reason, text, nextClaimAtMs }
  }

  check(address: Address, subscriber: string): ClaimRefused | null {
    return this.#quota(address, subscriber) ?? this.#capacity(subscriber)
  }

  #next(address: Address, subscriber: string, nowMs: number) {
    const { ledger, tiers } = this.#deps
    return ledger.next({ address, subscriber, tier: tiers.tierOf(address) }, nowMs)
  }

  #quota(address: Address, subscriber: string): ClaimRefused | null {
    const nowMs = this.#deps.clock.nowMs()
    const next = this.#next(address, subscriber, nowMs)
    const nextMs = Math.max(next.address, next.subscriber, next.network, next.budget)
    if (nextMs <= nowMs) return null
    const when = new Date(nextMs).toISOString()
    const refuse = (reason: ClaimRefusal, what: string) => this.refuse(subscriber, reason, `${what}: claim again after ${when}`, nextMs)
    if (next.address > nowMs) return refuse('address-limit', `${address} has used all its claims as ${this.#deps.tiers.tierOf(address)}`)
    if (next.subscriber > nowMs) return refuse('ip-limit', 'your IP address has used all its claims of the day')
    if (next.network > nowMs) return refuse('ip-limit', 'the network around your IP address has used all its claims of the day')
    return refuse('budget-spent', 'the faucet has reached its daily limit')
  }

  /** Amounts of unsettled claims are unavailable. */
  #capacity(subscriber: string): ClaimRefused | null {
    const { records, treasury } = this.#deps
    const { amountWei, maxUnsettled } = this.#options
    const soonMs = this.soon(this.nextOf(subscriber))
    const trouble = treasury.trouble()
    if (trouble !== null) {
      return this.refuse(subscriber, 'node-unavailable', `the faucet cannot pay at the moment: ${trouble.reason}`, soonMs)
    }
    if (records.unsettledCount >= maxUnsettled) {
      return this.refuse(subscriber, 'busy', `${records.unsettledCount} claims are in progress: try again in a minute`, soonMs)
    }
    const promisedWei = BigInt(records.unsettledCount) * amountWei
    if (treasury.balanceWei !== null && treasury.balanceWei < promisedWei + amountWei + FEE_RESERVE_WEI) {
      return this.refuse(subscriber, 'faucet-empty', 'the faucet is empty: contact its operator', soonMs)
    }
    return null
  }
}
