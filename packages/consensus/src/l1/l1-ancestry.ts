/** Checks ancestry below an L1 head by following parent hashes, never block numbers. */
import type { L1Reader } from '@keelson/derivation'
import type { BlockId, Hash, L1BlockRef } from '@keelson/primitives'

export type Ancestry = 'ancestor' | 'not-ancestor' | 'unknown'

export interface L1Ancestry {
  /** Records a block that was read elsewhere, so that it is not read again. */
  note(block: L1BlockRef): void
  /**
   * Reports whether `block` is the ancestor of `head` at its height. Returns 'unknown' after `maxReads` reads; call
   * again to continue.
   */
  look(block: BlockId, head: L1BlockRef, maxReads: number): Promise<Ancestry>
}

/** Blocks kept: more than a day of L1, far more than lie between its head and its finalized block. */
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
          // L1 reorganised between two reads
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
