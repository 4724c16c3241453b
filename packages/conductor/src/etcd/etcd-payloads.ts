/** Recorded blocks in etcd, each in parts, because etcd bounds the size of a transaction. */
import {
  type BlockId,
  concatBytes,
  decodeSignedPart,
  encodeSignedPart,
  type PayloadEnvelope,
  type PayloadVersion,
  payloadVersion,
} from '@keelson/primitives'
import type { EtcdClient, JsonObject } from './etcd-client.ts'
import type { EtcdKeys } from './etcd-keys.ts'
import { operation, prefixEnd, transact } from './etcd-transaction.ts'

/** Below etcd's default --max-request-bytes of 1.5 MiB, with room for the rest of a transaction. */
const PART_BYTES = 1_000_000
const MAX_PARTS = 64

/** Writes all parts but the first, each if `leads` holds. Returns the write of the first, which the record needs; null when one fails. */
export async function writePayload(
  client: EtcdClient,
  keys: EtcdKeys,
  envelope: PayloadEnvelope,
  leads: JsonObject,
): Promise<JsonObject | null> {
  const { blockNumber: number, blockHash: hash } = envelope.payload
  const bytes = concatBytes(Uint8Array.of(payloadVersion(envelope.payload)), encodeSignedPart(envelope))
  const put = (part: number) =>
    operation.put(keys.payloadPart({ number, hash }, part), bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
  for (let part = 1; part * PART_BYTES < bytes.length; part++) {
    const { succeeded } = await transact(client, [leads], [put(part)])
    if (!succeeded) return null
  }
  return put(0)
}

export async function readPayload(client: EtcdClient, keys: EtcdKeys, block: BlockId): Promise<PayloadEnvelope | null> {
  const prefix = keys.payloadParts(block)
  // One part an answer, because the time limit of an answer does not depend on its size.
  const first = await transact(
    client,
    [],
    [operation.get(keys.payloadPart(block, 0)), operation.getNames(prefix, prefixEnd(prefix), MAX_PARTS)],
  )
  const [found = [], names = []] = first.entries
  const parts = found.map(({ value }) => value)
  for (const { key } of names.slice(1)) {
    const { entries } = await transact(client, [], [operation.get(key)])
    const [part] = entries[0] ?? []
    if (part === undefined) return null
    parts.push(part.value)
  }
  const bytes = concatBytes(...parts)
  if (bytes.length === 0) return null
  const envelope = decodeSignedPart(bytes[0] as PayloadVersion, bytes.subarray(1))
  return envelope.payload.blockHash === block.hash ? envelope : null
}
