/**
 * One sender's transactions, by nonce. The first `pendingCount` follow the state's nonce without a gap
 * and are covered by the balance together; the rest wait.
 */
import type { Address } from '@keelson/primitives'
import type { PoolAccount, PooledTransaction } from './pool-types.ts'

export class AccountQueue {
  readonly sender: Address
  /** Ascending by nonce, one per nonce. */
  readonly #txs: PooledTransaction[] = []
  #state: PoolAccount
  #pendingCount = 0

  constructor(sender: Address, state: PoolAccount) {
    this.sender = sender
    this.#state = state
  }

  get size(): number {
    return this.#txs.length
  }
  get pending(): readonly PooledTransaction[] {
    return this.#txs.slice(0, this.#pendingCount)
  }
  get queued(): readonly PooledTransaction[] {
    return this.#txs.slice(this.#pendingCount)
  }
  get queuedCount(): number {
    return this.#txs.length - this.#pendingCount
  }
  get pendingCount(): number {
    return this.#pendingCount
  }
  get last(): PooledTransaction | null {
    return this.#txs.at(-1) ?? null
  }
  /** The nonce a wallet should use next. */
  get nextNonce(): bigint {
    return this.#state.nonce + BigInt(this.#pendingCount)
  }
  get state(): PoolAccount {
    return this.#state
  }

  isPending(tx: PooledTransaction): boolean {
    const index = this.#indexOf(tx.tx.nonce)
    return index < this.#pendingCount && this.#txs[index]?.hash === tx.hash
  }

  find(nonce: bigint): PooledTransaction | null {
    const found = this.#txs[this.#indexOf(nonce)]
    return found !== undefined && found.tx.nonce === nonce ? found : null
  }

  /** Wei that the transactions before `nonce` may take together. */
  costBeforeWei(nonce: bigint): bigint {
    let sum = 0n
    for (const pooled of this.#txs) {
      if (pooled.tx.nonce >= nonce) break
      sum += pooled.costWei
    }
    return sum
  }

  /** Puts it in, over one of the same nonce; gives those that became executable by it, itself included. */
  insert(pooled: PooledTransaction): readonly PooledTransaction[] {
    const index = this.#indexOf(pooled.tx.nonce)
    const replaces = this.#txs[index]?.tx.nonce === pooled.tx.nonce
    this.#txs.splice(index, replaces ? 1 : 0, pooled)
    const before = this.#pendingCount
    this.#recount()
    const grown = this.#txs.slice(before, this.#pendingCount)
    return replaces && index < Math.min(before, this.#pendingCount) ? [pooled, ...grown] : grown
  }

  remove(hash: PooledTransaction['hash']): void {
    const index = this.#txs.findIndex((pooled) => pooled.hash === hash)
    if (index >= 0) this.#txs.splice(index, 1)
    this.#recount()
  }

  /** Takes the account's new state; gives what it made stale and what it made executable. */
  update(state: PoolAccount): { readonly stale: readonly PooledTransaction[]; readonly executable: readonly PooledTransaction[] } {
    const wasPending = new Set(this.#txs.slice(0, this.#pendingCount).map((pooled) => pooled.hash))
    this.#state = state
    const stale = this.#txs.splice(0, this.#indexOf(state.nonce))
    this.#recount()
    return { stale, executable: this.#txs.slice(0, this.#pendingCount).filter((pooled) => !wasPending.has(pooled.hash)) }
  }

  /** Index of the first transaction with at least this nonce. */
  #indexOf(nonce: bigint): number {
    let low = 0
    let high = this.#txs.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#txs[middle] as PooledTransaction).tx.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }

  #recount(): void {
    let nonce = this.#state.nonce
    let left = this.#state.balanceWei
    let count = 0
    for (const pooled of this.#txs) {
      left -= pooled.costWei
      if (pooled.tx.nonce !== nonce || left < 0n) break
      nonce++
      count++
    }
    this.#pendingCount = count
  }
}
