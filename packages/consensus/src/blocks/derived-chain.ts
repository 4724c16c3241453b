import type { L2BlockSource } from '../ports.ts'
import type { L2Heads } from './l2-heads.ts'

/** `unflushed` counts head changes not yet sent to the execution client. */
export interface DerivedHeads {
  readonly heads: L2Heads | null
  readonly unflushed: number
}

/** The execution client does not have the newest derived blocks as its head yet, so these are found by parent hashes. */
export function createDerivedChain(derived: DerivedHeads, l2: L2BlockSource): L2BlockSource {
  return {
    async payload(at) {
      const tip = derived.heads?.pendingSafe ?? null
      // each unflushed change adds at most one block
      if (typeof at !== 'number' || tip === null || at > tip.number || at <= tip.number - derived.unflushed) return l2.payload(at)
      let envelope = await l2.payload(tip.hash)
      while (envelope !== null && envelope.payload.blockNumber > at) envelope = await l2.payload(envelope.payload.parentHash)
      return envelope
    },
    messagePasserStorageRoot: (block) => l2.messagePasserStorageRoot(block),
  }
}
