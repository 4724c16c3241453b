import type { GaugeMetric } from '@keelson/runtime'
import type { ChainAccount } from './chain-account.ts'
import { maxCostWei } from './fees.ts'
import type { Payment, TransactionJournal } from './journal.ts'
import type { PendingTransaction } from './pending-transaction.ts'

/** Unsettled transactions in nonce order, without gaps. */
export class PendingQueue {
  readonly #transactions: PendingTransaction[] = []
  readonly #account: Pick<ChainAccount, 'nonce'>
  readonly #journal: Pick<TransactionJournal, 'remove'>
  readonly #gauge: GaugeMetric | undefined

  constructor(account: Pick<ChainAccount, 'nonce'>, journal: Pick<TransactionJournal, 'remove'>, gauge: GaugeMetric | undefined) {
    this.#account = account
    this.#journal = journal
    this.#gauge = gauge
  }

  get all(): readonly PendingTransaction[] {
    return this.#transactions
  }

  get first(): PendingTransaction | undefined {
    return this.#transactions[0]
  }

  add(transaction: PendingTransaction): void {
    this.#transactions.push(transaction)
    this.#gauge?.set(this.#transactions.length)
  }

  addFirst(transaction: PendingTransaction): void {
    this.#transactions.unshift(transaction)
    this.#gauge?.set(this.#transactions.length)
  }

  async remove(transaction: PendingTransaction, payment?: Payment): Promise<void> {
    this.#transactions.splice(this.#transactions.indexOf(transaction), 1)
    this.#gauge?.set(this.#transactions.length)
    await this.#journal.remove(transaction.entry.nonce, payment)
  }

  async nextNonce(atLeast: bigint): Promise<bigint> {
    const last = this.#transactions.at(-1)
    const following = last === undefined ? 0n : last.entry.nonce + 1n
    // A nonce that was judged is already used, so the node must be asked.
    if (last !== undefined && last.judgedHead < 0 && atLeast === 0n) return following
    const known = await Promise.all([this.#account.nonce('latest'), this.#account.nonce('pending')])
    return [...known, following].reduce((most, nonce) => (nonce > most ? nonce : most), atLeast)
  }

  maxCostWei(except: bigint | null): bigint {
    return this.#transactions
      .filter(({ entry }) => entry.nonce !== except)
      .reduce((sum, { entry }) => sum + maxCostWei(entry.fees, entry.gasLimit, entry.blobs.length, entry.valueWei), 0n)
  }
}
