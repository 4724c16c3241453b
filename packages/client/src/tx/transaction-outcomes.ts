import type { Clock, Logger } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { ClientError } from '../client-error.ts'
import type { TransactionReceipt } from './chain-account.ts'
import { maxCostWei } from './fees.ts'
import type { JournalEntry } from './journal.ts'
import type { PendingQueue } from './pending-queue.ts'
import type { PendingTransaction } from './pending-transaction.ts'
import type { Spending } from './spending.ts'

const WEI_PER_GWEI = 1_000_000_000n

export class TransactionOutcomes {
  readonly #pending: PendingQueue
  readonly #spending: Spending
  readonly #clock: Clock
  readonly #log: Logger
  readonly #meters: ReturnType<typeof createMeters>

  constructor(
    chain: string,
    deps: {
      readonly pending: PendingQueue
      readonly spending: Spending
      readonly clock: Clock
      readonly log: Logger
      readonly metrics?: Metrics
    },
  ) {
    this.#pending = deps.pending
    this.#spending = deps.spending
    this.#clock = deps.clock
    this.#log = deps.log
    this.#meters = createMeters(chain, deps.metrics)
  }

  async settle(transaction: PendingTransaction, receipt: TransactionReceipt): Promise<void> {
    const { nonce } = transaction.entry
    const saidWei = receipt.gasUsed * receipt.effectiveGasPriceWei + receipt.blobGasUsed * receipt.blobGasPriceWei
    const worstWei = worstFeeWei(transaction.entry)
    // The signature limits what is paid, whatever the receipt says.
    const feeWei = saidWei > worstWei ? worstWei : saidWei
    if (saidWei > worstWei) {
      const fields = { nonce, hash: receipt.transactionHash, saidWei, signedWei: worstWei }
      this.#log.warn('the node says that a transaction paid more than was signed; counting what was signed', fields)
    }
    const payment = { atMs: this.#clock.nowMs(), feeWei }
    await this.#pending.finish(transaction, payment)
    this.#spending.add(payment)
    this.#meters.lastHour?.set(Number(this.#spending.lastHourWei() / WEI_PER_GWEI))
    if (transaction.heldBack !== null) this.#log.info('a transaction that was held back is settled', { nonce })
    this.#meters.settled?.inc(1, { outcome: receipt.succeeded ? 'succeeded' : 'reverted' })
    this.#meters.fees?.inc(Number(feeWei / WEI_PER_GWEI))
    const fields = { nonce, hash: receipt.transactionHash, block: receipt.blockNumber, feeWei }
    if (receipt.succeeded) this.#log.debug('settled', fields)
    else this.#log.warn('mined, but reverted', fields)
    transaction.resolve(receipt)
  }

  /** What may be in a pool may still be mined, so it counts as paid at worst. */
  async abandon(transactions: readonly PendingTransaction[], reason: string): Promise<void> {
    for (const transaction of transactions) {
      const { nonce, label, attempts } = transaction.entry
      const payment = attempts.length === 0 ? undefined : { atMs: this.#clock.nowMs(), feeWei: worstFeeWei(transaction.entry) }
      await this.#pending.finish(transaction, payment)
      if (payment !== undefined) this.#spending.add(payment)
      this.#meters.settled?.inc(1, { outcome: 'abandoned' })
      this.#log.warn('abandoned a transaction', { nonce, label, reason })
      transaction.reject(
        new ClientError('client/nonce-taken', 'temporary', `transaction ${label} with nonce ${nonce} was abandoned: ${reason}`, { nonce }),
      )
    }
  }
}

function worstFeeWei({ fees, gasLimit, blobs }: JournalEntry): bigint {
  return maxCostWei(fees, gasLimit, blobs.length, 0n)
}

function createMeters(chain: string, metrics: Metrics | undefined) {
  const prefix = chain.toLowerCase()
  return {
    settled: metrics?.counter(`${prefix}_transactions_total`, `${chain} transactions settled, by outcome`, ['outcome']),
    fees: metrics?.counter(`${prefix}_fees_gwei_total`, `Fees paid for ${chain} transactions, in gwei`),
    lastHour: metrics?.gauge(`${prefix}_spent_last_hour_gwei`, `Fees paid for ${chain} transactions in the last hour, in gwei`),
  }
}
