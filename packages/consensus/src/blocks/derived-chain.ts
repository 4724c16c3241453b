import type { L2BlockSource } from '../ports.ts'
import type { L2Heads } from './l2-heads.ts'

/** The heads derivation works on; `unflushed` changes of them have not been sent to the execution client yet. */
export interface DerivedHeads {
  readonly heads: L2Heads | null
  readonly unflushed: number
}

/**
 * Blocks of the safe chain for derivation. The execution client has not been sent the newest derived blocks as its head
 * yet, and may return none or another block at their heights: these are found by following parent hashes from the tip.
 */
export function createDerivedChain(derived: DerivedHeads, l2: L2BlockSource): L2BlockSource {
  return {
    async payload(at) {
      const tip = derived.heads?.pendingSafe ?? null
      // each unflushed change adds at most one block, so everything below is on the execution client's own chain
      if (typeof at !== 'number' || tip === null || at > tip.number || at <= tip.number - derived.unflushed) return l2.payload(at)
      let envelope = await l2.payload(tip.hash)
      while (envelope !== null && envelope.payload.blockNumber > at) envelope = await l2.payload(envelope.payload.parentHash)
      return envelope
    },
    messagePasserStorageRoot: (block) => l2.messagePasserStorageRoot(block),
  }
}
