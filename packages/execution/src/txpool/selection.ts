/** Executable transactions in the order a block wants them: highest tip first, each sender's own by nonce. */
import { effectiveGasPriceWei } from '@keelson/primitives'
import type { PooledTransaction } from './pool-types.ts'

export interface Selection {
  /** Null when nothing that pays the base fee is left. */
  peek(): PooledTransaction | null
  /** The current one was taken: its sender's next takes part from now on. */
  taken(): void
  /** The current one cannot be used: its sender is left out. */
  skipSender(): void
}

/** What the block's producer keeps of the price, in wei per gas; negative when the base fee is not met. */
export function tipWei(pooled: PooledTransaction, baseFeeWei: bigint): bigint {
  return effectiveGasPriceWei(pooled.tx, baseFeeWei) - baseFeeWei
}

interface Candidate {
  readonly txs: readonly PooledTransaction[]
  next: number
  tip: bigint
}

/** `accounts`: executable transactions by sender, ascending by nonce. */
export function selectByTip(accounts: Iterable<readonly PooledTransaction[]>, baseFeeWei: bigint, minTipWei: bigint): Selection {
  const heap: Candidate[] = []
  const better = (a: Candidate, b: Candidate) =>
    a.tip !== b.tip ? a.tip > b.tip : (a.txs[a.next] as PooledTransaction).order < (b.txs[b.next] as PooledTransaction).order
  const swap = (i: number, j: number) => {
    const held = heap[i] as Candidate
    heap[i] = heap[j] as Candidate
    heap[j] = held
  }
  const sink = () => {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      if (left >= heap.length) return
      const right = left + 1
      const child = right < heap.length && better(heap[right] as Candidate, heap[left] as Candidate) ? right : left
      if (!better(heap[child] as Candidate, heap[at] as Candidate)) return
      swap(at, child)
      at = child
    }
  }
  const push = (candidate: Candidate) => {
    heap.push(candidate)
    for (let at = heap.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!better(heap[at] as Candidate, heap[parent] as Candidate)) return
      swap(at, parent)
      at = parent
    }
  }
  const dropTop = () => {
    const last = heap.pop() as Candidate
    if (heap.length === 0) return
    heap[0] = last
    sink()
  }
  for (const txs of accounts) {
    const first = txs[0]
    if (first === undefined) continue
    const tip = tipWei(first, baseFeeWei)
    if (tip >= minTipWei && tip >= 0n) push({ txs, next: 0, tip })
  }
  return {
    peek: () => heap[0]?.txs[heap[0].next] ?? null,
    taken() {
      const top = heap[0]
      if (top === undefined) return
      top.next++
      const following = top.txs[top.next]
      if (following === undefined) return dropTop()
      top.tip = tipWei(following, baseFeeWei)
      if (top.tip < minTipWei || top.tip < 0n) return dropTop()
      sink()
    },
    skipSender() {
      if (heap.length > 0) dropTop()
    },
  }
}
