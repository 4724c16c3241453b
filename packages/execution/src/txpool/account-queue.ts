/** Transactions by nonce. The first `pendingCount` are executable: no nonce gap, and the balance covers them all. */
import type { Address, Bytes20 } from '@keelson/primitives'
import type { PoolAccount, PooledTransaction, PoolHead } from './pool-types.ts'

export class AccountQueue {
  readonly sender: Address
  readonly senderBytes: Bytes20
  readonly #txs: PooledTransaction[] = []
  readonly #nowMs: () => number
  #head: PoolHead
  #state: PoolAccount
  #pendingCount = 0
  #pendingCostWei = 0n
  #movedAtMs: number

  constructor(sender: Address, senderBytes: Bytes20, head: PoolHead, nowMs: () => number) {
    this.sender = sender
    this.senderBytes = senderBytes
    this.#head = head
    this.#state = head.account(senderBytes)
    this.#nowMs = nowMs
    this.#movedAtMs = nowMs()
  }

  get head(): PoolHead {
    return this.#head
  }

  get movedAtMs(): number {
    return this.#movedAtMs
  }

  get pendingCostWei(): bigint {
    return this.#pendingCostWei
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
  fromLast(index: number): PooledTransaction | null {
    return this.#txs[this.#txs.length - 1 - index] ?? null
  }
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

  /** Returns the newly executable transactions. */
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

  update(head: PoolHead): { readonly stale: readonly PooledTransaction[]; readonly executable: readonly PooledTransaction[] } {
    const samePrices = head.rules === this.#head.rules && head.priceKey === this.#head.priceKey
    this.#head = head
    this.#state = head.account(this.senderBytes)
    const stale = this.#txs.splice(0, this.#indexOf(this.#state.nonce))
    if (!samePrices) for (const pooled of this.#txs) pooled.costWei = head.costWei(pooled.tx)
    const before = Math.max(0, this.#pendingCount - stale.length)
    this.#recount()
    return { stale, executable: this.#txs.slice(before, Math.max(before, this.#pendingCount)) }
  }

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
    let cost = 0n
    let count = 0
    for (const pooled of this.#txs) {
      if (pooled.tx.nonce !== nonce || cost + pooled.costWei > this.#state.balanceWei) break
      cost += pooled.costWei
      nonce++
      count++
    }
    if (count !== this.#pendingCount) this.#movedAtMs = this.#nowMs()
    this.#pendingCount = count
    this.#pendingCostWei = cost
  }
}
