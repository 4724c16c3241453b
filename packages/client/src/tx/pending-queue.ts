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

  /** Removes a transaction that was never sent, also when the journal fails: nobody may send it later. */
  async drop(transaction: PendingTransaction): Promise<void> {
    this.#take(transaction)
    await this.#journal.remove(transaction.entry.nonce)
  }

  /** Removes a transaction whose outcome is known. When the journal fails, it stays, so that the next step removes it. */
  async finish(transaction: PendingTransaction, payment?: Payment): Promise<void> {
    await this.#journal.remove(transaction.entry.nonce, payment)
    this.#take(transaction)
  }

  async nextNonce(atLeast: bigint): Promise<bigint> {
    const last = this.#transactions.at(-1)
    const following = last === undefined ? 0n : last.entry.nonce + 1n
    // A nonce that was judged is already used, so the node must be asked.
    if (last !== undefined && last.judgedHead < 0 && atLeast === 0n) return following
    const known = await Promise.all([this.#account.nonce('latest'), this.#account.nonce('pending')])
    return [...known, following].reduce((most, nonce) => (nonce > most ? nonce : most), atLeast)
  }

  #take(transaction: PendingTransaction): void {
    this.#transactions.splice(this.#transactions.indexOf(transaction), 1)
    this.#gauge?.set(this.#transactions.length)
  }

  maxCostWei(except: bigint | null): bigint {
    return this.#transactions
      .filter(({ entry }) => entry.nonce !== except)
      .reduce((sum, { entry }) => sum + maxCostWei(entry.fees, entry.gasLimit, entry.blobs.length, entry.valueWei), 0n)
  }
}
