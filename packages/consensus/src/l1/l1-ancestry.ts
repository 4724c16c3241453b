/** Which blocks lie below an L1 head, followed from block to parent by hash and never by number. */
import type { L1Reader } from '@keelson/derivation'
import type { BlockId, Hash, L1BlockRef } from '@keelson/primitives'

export type Ancestry = 'ancestor' | 'not-ancestor' | 'unknown'

export interface L1Ancestry {
  /** A block that was seen anyway, which need not be read again. */
  note(block: L1BlockRef): void
  /** Is `block` the ancestor of `head` at its height? 'unknown' after `maxReads` blocks were read for it: ask again. */
  look(block: BlockId, head: L1BlockRef, maxReads: number): Promise<Ancestry>
}

/** Over a day of blocks, far more than lie between L1's head and what it finalized. */
const REMEMBERED = 8_192

export function createL1Ancestry(l1: Pick<L1Reader, 'blockRef'>): L1Ancestry {
  const parents = new Map<Hash, Hash>()

  function note({ hash, parentHash }: L1BlockRef): void {
    parents.set(hash, parentHash)
    if (parents.size > REMEMBERED) parents.delete(parents.keys().next().value as Hash)
  }

  return {
    note,
    async look(block, head, maxReads) {
      if (block.number > head.number) return 'not-ancestor'
      note(head)
      let hash = head.hash
      let reads = 0
      for (let number = head.number; number > block.number; number--) {
        let parent = parents.get(hash)
        if (parent === undefined) {
          if (++reads > maxReads) return 'unknown'
          const ref = await l1.blockRef(hash)
          // L1 replaced its blocks between two questions
          if (ref === null || ref.number !== number) return 'unknown'
          note(ref)
          parent = ref.parentHash
        }
        hash = parent
      }
      return hash === block.hash ? 'ancestor' : 'not-ancestor'
    },
  }
}
