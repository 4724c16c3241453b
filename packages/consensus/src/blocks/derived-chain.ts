/**
 * Blocks of the safe chain for derivation. By number they come from the execution client, but not the newest ones:
 * it may not have been told yet which of its blocks they are, and then knows none or another one at their height.
 */
import type { EngineControl } from '../driver/engine/engine-control.ts'
import type { L2BlockSource } from '../ports.ts'

export function createDerivedChain(engine: Pick<EngineControl, 'heads' | 'unflushed'>, l2: L2BlockSource): L2BlockSource {
  return {
    async payload(at) {
      const tip = engine.heads?.pendingSafe ?? null
      // one untold change for each block at most, so everything below is the engine's own chain
      if (typeof at !== 'number' || tip === null || at > tip.number || at <= tip.number - engine.unflushed) return l2.payload(at)
      let envelope = await l2.payload(tip.hash)
      while (envelope !== null && envelope.payload.blockNumber > at) envelope = await l2.payload(envelope.payload.parentHash)
      return envelope
    },
    messagePasserStorageRoot: (block) => l2.messagePasserStorageRoot(block),
  }
}
