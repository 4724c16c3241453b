import { type ChainAccount, ClientError, type RecoveredTransaction, type TransactionManager } from '@keelson/client'
import type { Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { type Claim, idOfLabel, labelOf } from './claim.ts'
import type { ClaimRecords } from './claim-records.ts'
import { ConfirmedPayments } from './confirmed-payments.ts'
import { PaymentOutcomes, type Placement } from './payment-outcomes.ts'
import { PaymentQueue } from './payment-queue.ts'
import { UnsurePayments } from './unsure-payments.ts'

export interface PaymentsOptions {
  readonly maxInFlight: number
  readonly confirmations: number
}

export interface PaymentsDependencies {
  readonly manager: Pick<TransactionManager, 'address' | 'send' | 'recover' | 'pendingCount'>
  readonly account: Pick<ChainAccount, 'headNumber' | 'finalizedNumber' | 'nonce' | 'receipts' | 'transactionsAt'>
  readonly records: ClaimRecords
  readonly onFailed: (claim: Claim) => void
  readonly log: Logger
  readonly metrics?: Metrics
}

const NO_DATA = new Uint8Array(0)
/** After these errors nothing was sent. */
const CERTAIN: ReadonlySet<string> = new Set(['client/insufficient-funds', 'client/spending-limit', 'client/transaction-reverts'])

export class Payments {
  readonly #maxInFlight: number
  readonly #deps: PaymentsDependencies
  readonly #queue = new PaymentQueue()
  readonly #outcomes: PaymentOutcomes
  readonly #unsure: UnsurePayments
  readonly #confirmed: ConfirmedPayments
  readonly #inherited: readonly number[]
  #sending = 0
  #recovered = false

  constructor({ maxInFlight, confirmations }: PaymentsOptions, deps: PaymentsDependencies) {
    const queue = this.#queue
    this.#maxInFlight = maxInFlight
    this.#deps = deps
    this.#outcomes = new PaymentOutcomes(deps)
    this.#unsure = new UnsurePayments(confirmations, { ...deps, queue, outcomes: this.#outcomes })
    this.#confirmed = new ConfirmedPayments(deps)
    this.#inherited = deps.records.unsettled().map(({ id }) => id)
    deps.metrics?.gauge('claims_waiting', 'Claims waiting to be sent', [], () => queue.length)
    deps.metrics?.gauge('claims_unsure', 'Claims whose payment the chain has not decided yet', [], () => this.#unsure.count)
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Throws ClientError; retry until it succeeds. */
  async recover(): Promise<void> {
    if (this.#recovered) return
    const { manager, records, log } = this.#deps
    const transactions = await manager.recover()
    if (this.#recovered) return
    this.#recovered = true
    const journaled = new Set(transactions.map(({ label }) => idOfLabel(label)))
    for (const transaction of transactions) this.#follow(transaction)
    let again = 0
    for (const id of this.#inherited) {
      const claim = records.get(id)
      if (claim?.state === 'reserved' && !journaled.has(id)) {
        again++
        this.#queue.add(claim.id)
      }
      // Happens only if another writer changed the journal.
      if (claim?.state === 'sent' && !journaled.has(claim.id)) await records.replace(claim, { ...claim, state: 'unsure' })
    }
    if (again > 0) log.info('resuming reserved claims of the last run', { count: again })
    this.#sendWaiting()
  }

  /** The promise stays pending while the node is unavailable. */
  pay(id: number): Promise<Placement> {
    const placement = this.#outcomes.wait(id)
    this.#queue.add(id)
    this.#sendWaiting()
    return placement
  }

  async step(): Promise<void> {
    this.#sendWaiting()
    if (this.#recovered) {
      await this.#confirmed.check()
      await this.#unsure.check()
    }
    this.#sendWaiting()
  }

  #sendWaiting(): void {
    const { manager, records } = this.#deps
    while (this.#recovered && this.#queue.length > 0 && manager.pendingCount < this.#maxInFlight && this.#sending < this.#maxInFlight) {
      const id = this.#queue.take() as number
      this.#sending++
      void this.#send(id).then((retryLater) => {
        this.#sending--
        this.#queue.release(id)
        if (records.get(id)?.state === 'reserved') this.#queue.add(id)
        if (!retryLater) this.#sendWaiting()
      })
    }
  }

  /** Returns true when nothing was sent and `step` must retry. */
  async #send(id: number): Promise<boolean> {
    const { manager, records, log } = this.#deps
    const claim = records.get(id)
    if (claim === undefined || claim.state !== 'reserved') return false
    try {
      const receipt = await manager.send({
        to: claim.address,
        data: NO_DATA,
        valueWei: claim.amountWei,
        gasLimit: claim.gasLimit,
        label: labelOf(claim),
        onPlaced: () => this.#outcomes.placed(id),
      })
      await this.#outcomes.settled(id, receipt)
      return false
    } catch (error) {
      return this.#afterFailure(id, error).catch((cause: unknown) => {
        log.error('cannot write the state of a claim', { id, error: cause })
        return false
      })
    }
  }

  async #afterFailure(id: number, error: unknown): Promise<boolean> {
    const { records, log } = this.#deps
    const claim = records.get(id)
    if (claim === undefined || (error instanceof ClientError && error.code === 'client/stopped')) return false
    if (error instanceof ClientError && CERTAIN.has(error.code)) {
      await this.#outcomes.failed(claim, error)
      return false
    }
    const { state, address } = claim
    if (state === 'reserved') {
      log.warn('payment not sent, retrying', { id, address, error })
      return true
    }
    log.warn('payment status unknown; waiting for the chain to decide', { id, address, state, nonce: claim.nonce, error })
    return false
  }

  #follow({ label, receipt }: RecoveredTransaction): void {
    const id = idOfLabel(label)
    if (id === null) return
    receipt
      .then((found) => this.#outcomes.settled(id, found))
      .catch((error: unknown) => this.#afterFailure(id, error))
      .catch((error: unknown) => this.#deps.log.error('cannot write the state of a claim', { id, error }))
      .finally(() => this.#sendWaiting())
  }
}
