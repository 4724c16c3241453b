import type { Hash, PayloadEnvelope } from '@keelson/primitives'
import type { L2BlockSource } from '../ports.ts'

export interface RecentPayloads extends L2BlockSource {
  remember(envelope: PayloadEnvelope): void
}

const MAX_PAYLOADS = 64

export function createRecentPayloads(source: L2BlockSource): RecentPayloads {
  const recent = new Map<Hash, PayloadEnvelope>()
  const remember = (envelope: PayloadEnvelope) => {
    const { blockHash } = envelope.payload
    recent.delete(blockHash)
    recent.set(blockHash, envelope)
    if (recent.size > MAX_PAYLOADS) recent.delete(recent.keys().next().value as Hash)
  }
  return {
    remember,
    async payload(at) {
      const known = typeof at === 'string' ? recent.get(at as Hash) : undefined
      if (known !== undefined) return known
      const envelope = await source.payload(at)
      if (envelope !== null) remember(envelope)
      return envelope
    },
    messagePasserStorageRoot: (block) => source.messagePasserStorageRoot(block),
  }
}
