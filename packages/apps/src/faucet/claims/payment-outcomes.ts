import type { ClientError, TransactionReceipt } from '@keelson/client'
import type { Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { Claim } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'

export type Placement = { readonly kind: 'placed' } | { readonly kind: 'failed'; readonly error: ClientError }

export interface PaymentOutcomesDependencies {
  readonly records: ClaimRecords
  readonly onFailed: (claim: Claim) => void
  readonly log: Logger
  readonly metrics?: Metrics
}

export class PaymentOutcomes {
  readonly #deps: PaymentOutcomesDependencies
  readonly #waiters = new Map<number, (placement: Placement) => void>()
  readonly #count: (outcome: 'paid' | 'reverted' | 'failed') => void

  constructor(deps: PaymentOutcomesDependencies) {
    this.#deps = deps
    const outcomes = deps.metrics?.counter('payments_total', 'Payments by outcome', ['outcome'])
    this.#count = (outcome) => outcomes?.inc(1, { outcome })
  }

  wait(id: number): Promise<Placement> {
    return new Promise((resolve) => this.#waiters.set(id, resolve))
  }

  placed(id: number): void {
    this.#resolve(id, { kind: 'placed' })
  }

  /** Writes only reverts: the journal has already recorded a success. */
  async settled(id: number, receipt: TransactionReceipt): Promise<void> {
    const { records, log } = this.#deps
    const claim = records.get(id)
    this.#count(receipt.succeeded ? 'paid' : 'reverted')
    if (receipt.succeeded || claim === undefined) return
    log.warn("the recipient's code rejected the payment", { id, address: claim.address, hash: receipt.transactionHash })
    await records.replace(claim, { ...claim, state: 'reverted' })
  }

  async found(claim: Claim, succeeded: boolean): Promise<void> {
    const state = succeeded ? 'paid' : 'reverted'
    if (!(await this.#deps.records.replace(claim, { ...claim, state }))) return
    this.#count(state)
    this.placed(claim.id)
  }

  async failed(claim: Claim, error: ClientError): Promise<void> {
    const { records, log, onFailed } = this.#deps
    if (!(await records.replace(claim, { ...claim, state: 'failed' }))) return
    this.#count('failed')
    log.warn('payment failed; the claim does not count', { id: claim.id, address: claim.address, code: error.code, error })
    onFailed(claim)
    this.#resolve(claim.id, { kind: 'failed', error })
  }

  #resolve(id: number, placement: Placement): void {
    this.#waiters.get(id)?.(placement)
    this.#waiters.delete(id)
  }
}
