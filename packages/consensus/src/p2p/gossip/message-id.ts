import { bigintToBytes, type Crypto, concatBytes, type PayloadVersion, utf8ToBytes } from '@keelson/primitives'

const MESSAGE_ID_BYTES = 20
const DOMAIN_VALID_SNAPPY = Uint8Array.of(1, 0, 0, 0)
const DOMAIN_INVALID_SNAPPY = Uint8Array.of(0, 0, 0, 0)

export function blocksTopic(chainId: bigint, version: PayloadVersion): string {
  return `/optimism/${chainId}/${version - 1}/blocks`
}

/**
 * First 20 bytes of sha256(domain, topic length as u64 LE, topic, data), with decompressed data if possible. Clients include the
 * topic, although the specification's text omits it. specs: protocol/rollup-node-p2p.md#message-id-computation
 */
export function messageId(crypto: Crypto, topic: string, data: Uint8Array, decompressed: Uint8Array | null): Uint8Array {
  const name = utf8ToBytes(topic)
  const length = bigintToBytes(BigInt(name.length), 8).reverse()
  const domain = decompressed === null ? DOMAIN_INVALID_SNAPPY : DOMAIN_VALID_SNAPPY
  return crypto.sha256(concatBytes(domain, length, name, decompressed ?? data)).slice(0, MESSAGE_ID_BYTES)
}
