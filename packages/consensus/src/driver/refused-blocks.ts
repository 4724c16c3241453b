/**
 * Hashes of unsafe blocks that are not requested again: those the execution client called invalid, and what builds on them.
 * Only unsafe blocks from outside are judged by them. A block that is derived is executed whatever is remembered, and when
 * it is found valid, it and what builds on it are no longer refused.
 */
import type { Hash, PayloadEnvelope } from '@keelson/primitives'

export interface RefusedBlocks {
  /** `envelope` must hold what its hash covers, and nothing else: `payloadMismatch` of primitives is null. */
  add(envelope: PayloadEnvelope): void
  /** Whether it is one of them or builds on one; then it is one too. `head` stands, whatever was said of it. */
  includes(envelope: PayloadEnvelope, head: Hash | null): boolean
  /** The execution client found this block valid. */
  forget(hash: Hash): void
  /** Forgets blocks at or below a height. */
  prune(number: number): void
}

interface Refused {
  readonly number: number
  /** The block that was called invalid: this one, or the one it builds on. */
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
    // what waited for a block that is refused has its parent here already
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
