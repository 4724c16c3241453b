/** Evicts waiting transactions first, then those with the lowest tips, then the latest arrivals. */
import type { Address } from '@keelson/primitives'
import type { AccountQueue } from './account-queue.ts'
import { createHeap } from './heap.ts'
import type { PooledTransaction } from './pool-types.ts'
import { tipWei } from './selection.ts'

export interface Ranked {
  readonly pooled: PooledTransaction
  readonly queued: boolean
  readonly tip: bigint
}

export interface Excess {
  readonly transactions: number
  readonly bytes: number
}

function isWorse(a: Ranked, b: Ranked): boolean {
  if (a.queued !== b.queued) return a.queued
  if (a.tip !== b.tip) return a.tip < b.tip
  return a.pooled.order > b.pooled.order
}

/**
 * Each evicted transaction is the last of its sender, so that no nonce gap appears. If room cannot be made, returns the
 * transaction in the way and the number of transactions evictable before it.
 */
export function planEviction(
  accounts: Iterable<AccountQueue>,
  incoming: Ranked,
  excess: Excess,
  baseFeeWei: bigint,
): { readonly evicted: readonly PooledTransaction[] } | { readonly inTheWay: Ranked | null; readonly evictable: number } {
  const all = [...accounts]
  const gone = new Map<Address, number>()
  const evicted: PooledTransaction[] = []
  let { transactions, bytes } = excess
  while (transactions > 0 || bytes > 0) {
    let worst: Ranked | null = null
    for (const account of all) {
      const taken = gone.get(account.sender) ?? 0
      const pooled = account.fromLast(taken)
      if (pooled === null) continue
      const queued = account.queuedCount > taken
      if (worst?.queued && !queued) continue
      const candidate = { pooled, queued, tip: tipWei(pooled, baseFeeWei) }
      if (worst === null || isWorse(candidate, worst)) worst = candidate
    }
    if (worst === null || worst.pooled.sender === incoming.pooled.sender || !isWorse(worst, incoming))
      return { inTheWay: worst, evictable: evicted.length }
    evicted.push(worst.pooled)
    gone.set(worst.pooled.sender, (gone.get(worst.pooled.sender) ?? 0) + 1)
    transactions--
    bytes -= worst.pooled.tx.raw.length
  }
  return { evicted }
}

/** Each returned transaction is the last remaining one of its sender. */
export function worstOf(accounts: Iterable<AccountQueue>, excess: Excess, baseFeeWei: bigint): readonly PooledTransaction[] {
  let { transactions, bytes } = excess
  if (transactions <= 0 && bytes <= 0) return []
  interface Last extends Ranked {
    readonly account: AccountQueue
    readonly taken: number
  }
  const lastOf = (account: AccountQueue, taken: number): Last | null => {
    const pooled = account.fromLast(taken)
    return pooled === null ? null : { account, taken, pooled, queued: account.queuedCount > taken, tip: tipWei(pooled, baseFeeWei) }
  }
  const heap = createHeap<Last>(isWorse)
  const add = (last: Last | null) => last !== null && heap.push(last)
  for (const account of accounts) add(lastOf(account, 0))
  const worst: PooledTransaction[] = []
  for (let { top } = heap; top !== undefined && (transactions > 0 || bytes > 0); { top } = heap) {
    heap.dropTop()
    worst.push(top.pooled)
    transactions--
    bytes -= top.pooled.tx.raw.length
    add(lastOf(top.account, top.taken + 1))
  }
  return worst
}
