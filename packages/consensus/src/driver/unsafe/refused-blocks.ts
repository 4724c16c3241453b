/**
 * Hashes of unsafe blocks that are not requested again: those that the execution client found invalid, and their
 * descendants. The set applies to unsafe blocks from outside only. A derived block is executed in any case; when it is
 * found valid, it and its descendants are removed.
 */
import type { Hash, PayloadEnvelope } from '@keelson/primitives'

export interface RefusedBlocks {
  /** Adds an invalid block. Its hash must cover all of `envelope`: `payloadMismatch` of primitives returns null. */
  add(envelope: PayloadEnvelope): void
  /**
   * Reports whether a block is in the set or has a parent in it, and then adds it. A child of `head` is never refused
   * through its parent.
   */
  includes(envelope: PayloadEnvelope, head: Hash | null): boolean
  /** The execution client found this block valid. */
  forget(hash: Hash): void
  /** Forgets blocks at or below a height. */
  prune(number: number): void
}

interface Refused {
  readonly number: number
  /** The invalid block: this one or its invalid ancestor. */
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
    // a block that waited for a refused one has its parent in the set
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
