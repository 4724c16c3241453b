import type { Hash, PayloadEnvelope } from '@keelson/primitives'

/** Unsafe blocks known to be invalid, and their descendants. Derived blocks are executed even if they are in this set. */
export interface RefusedBlocks {
  /** Call it only if `payloadMismatch` of primitives returns null. */
  add(envelope: PayloadEnvelope): void
  /**
   * Reports whether the set contains the block, or contains its parent and the parent is not `head`. In the second case it also
   * adds the block.
   */
  includes(envelope: PayloadEnvelope, head: Hash | null): boolean
  forget(hash: Hash): void
  prune(number: number): void
}

interface Refused {
  readonly number: number
  readonly root: Hash
}

const KEPT = 4_096

export function createRefusedBlocks(): RefusedBlocks {
  const blocks = new Map<Hash, Refused>()
  const add = ({ payload }: PayloadEnvelope, root: Hash) => {
    blocks.set(payload.blockHash, { number: payload.blockNumber, root })
    if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value as Hash)
  }
  return {
    add: (envelope) => add(envelope, blocks.get(envelope.payload.parentHash)?.root ?? envelope.payload.blockHash),
    includes(envelope, head) {
      const { blockHash, parentHash } = envelope.payload
      if (blocks.has(blockHash)) return true
      const parent = blocks.get(parentHash)
      if (parentHash === head || parent === undefined) return false
      add(envelope, parent.root)
      return true
    },
    forget(hash) {
      if (!blocks.delete(hash)) return
      for (const [descendant, { root }] of blocks) if (root === hash) blocks.delete(descendant)
    },
    prune(number) {
      for (const [hash, refused] of blocks) if (refused.number <= number) blocks.delete(hash)
    },
  }
}
