/** Hashes of unsafe blocks that are not to be had again: those the execution client called invalid, and what builds on them. */
import type { Hash, PayloadEnvelope } from '@keelson/primitives'

export interface RefusedBlocks {
  add(envelope: PayloadEnvelope): void
  /** Is it, or does it build on, one of them? Then it is one too. `head` stands, whatever was said of it. */
  includes(envelope: PayloadEnvelope, head: Hash | null): boolean
  /** Forgets blocks at or below a height. */
  prune(number: number): void
}

const KEPT = 4_096

export function createRefusedBlocks(): RefusedBlocks {
  const numbers = new Map<Hash, number>()
  const add = ({ payload }: PayloadEnvelope) => {
    numbers.set(payload.blockHash, payload.blockNumber)
    if (numbers.size > KEPT) numbers.delete(numbers.keys().next().value as Hash)
  }
  return {
    add,
    includes(envelope, head) {
      const { blockHash, parentHash } = envelope.payload
      if (numbers.has(blockHash)) return true
      if (parentHash === head || !numbers.has(parentHash)) return false
      add(envelope)
      return true
    },
    prune(number) {
      for (const [hash, refused] of numbers) if (refused <= number) numbers.delete(hash)
    },
  }
}
