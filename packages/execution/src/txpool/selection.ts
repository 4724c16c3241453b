/** Selects the highest tip first, and in nonce order per sender. */
import { effectiveGasPriceWei } from '@keelson/primitives'
import { createHeap } from './heap.ts'
import type { PooledTransaction } from './pool-types.ts'

export interface Selection {
  peek(): PooledTransaction | null
  taken(): void
  skipSender(): void
}

/** What the block producer earns per gas; negative if the fee cap is below the base fee. */
export function tipWei(pooled: PooledTransaction, baseFeeWei: bigint): bigint {
  return effectiveGasPriceWei(pooled.tx, baseFeeWei) - baseFeeWei
}

interface Candidate {
  readonly txs: readonly PooledTransaction[]
  next: number
  tip: bigint
}

/** `accounts` holds each sender's executable transactions, ascending by nonce. */
export function selectByTip(accounts: Iterable<readonly PooledTransaction[]>, baseFeeWei: bigint, minTipWei: bigint): Selection {
  const heap = createHeap<Candidate>((a, b) =>
    a.tip !== b.tip ? a.tip > b.tip : (a.txs[a.next] as PooledTransaction).order < (b.txs[b.next] as PooledTransaction).order,
  )
  for (const txs of accounts) {
    const first = txs[0]
    if (first === undefined) continue
    const tip = tipWei(first, baseFeeWei)
    if (tip >= minTipWei && tip >= 0n) heap.push({ txs, next: 0, tip })
  }
  return {
    peek: () => heap.top?.txs[heap.top.next] ?? null,
    taken() {
      const top = heap.top
      if (top === undefined) return
      top.next++
      const following = top.txs[top.next]
      if (following === undefined) return heap.dropTop()
      top.tip = tipWei(following, baseFeeWei)
      if (top.tip < minTipWei || top.tip < 0n) return heap.dropTop()
      heap.sink()
    },
    skipSender() {
      if (heap.top !== undefined) heap.dropTop()
    },
  }
}
