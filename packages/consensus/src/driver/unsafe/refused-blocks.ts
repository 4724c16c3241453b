import type { Hash, PayloadEnvelope } from '@keelson/primitives'

/**
 * Hashes of unsafe blocks that the execution client found invalid, and of their descendants, which are not requested again.
 * A derived block is executed regardless.
 */
export interface RefusedBlocks {
  /** Adds an invalid block. Its hash must cover all of `envelope`: `payloadMismatch` of primitives returns null. */
  add(envelope: PayloadEnvelope): void
  /**
   * Reports whether a block or its parent is in the set, and then adds it. A child of `head` is never refused through its parent.
   */
  includes(envelope: PayloadEnvelope, head: Hash | null): boolean
  /** The execution client found this block valid: removes it and its descendants. */
  forget(hash: Hash): void
  /** Drops blocks at or below `number`. */
  prune(number: number): void
}

interface Refused {
  readonly number: number
  /** The invalid block, or its invalid ancestor. */
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
    // the parent of a block that waited for a refused one is in the set
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
