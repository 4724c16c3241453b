/** Lists layers without their changes. */
import { bytesToHex, type Hash } from '@keelson/primitives'
import { BUCKETS, prefixRange } from '../buckets.ts'
import type { KeyValueReader } from '../ports.ts'
import type { StateBlock } from '../state-store.ts'
import { decodeLayerRecord } from './layer-record.ts'

export interface StoredLayer extends StateBlock {
  readonly parentHash: Hash
  readonly bytes: number
}

export async function* readLayers(reader: KeyValueReader): AsyncIterable<StoredLayer> {
  const { from, to } = prefixRange(Uint8Array.of(BUCKETS.layer))
  for await (const [, record] of reader.range(from, to)) {
    const { hash, parentHash, number, stateRoot } = decodeLayerRecord(record)
    yield { hash, parentHash, number, stateRoot: bytesToHex(stateRoot) as Hash, bytes: record.length }
  }
}
