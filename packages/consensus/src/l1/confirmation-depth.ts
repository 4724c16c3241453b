/** Hides the newest L1 blocks from a reader that goes by number, so that shallow reorgs pass it by. */
import type { L1Reader } from '@keelson/derivation'
import type { L1BlockRef } from '@keelson/primitives'

/** `head` is the L1 head as last seen; null hides everything when there is a depth. */
export function withConfirmationDepth(l1: L1Reader, depth: number, head: () => L1BlockRef | null): L1Reader {
  if (depth === 0) return l1
  return {
    header: (hash) => l1.header(hash),
    transactions: (hash) => l1.transactions(hash),
    receipts: (hash) => l1.receipts(hash),
    async blockRef(at) {
      if (typeof at !== 'number' || at === 0) return l1.blockRef(at)
      const top = head()
      return top === null || at + depth > top.number ? null : l1.blockRef(at)
    },
  }
}
