/**
 * The `opstack` entry of a discovery record: chain id and version as unsigned varints. specs:
 * protocol/rollup-node-p2p.md#consensus-layer-structure
 */

export const OPSTACK_ENTRY = 'opstack'
const VERSION = 0n
const MAX_VARINT_BYTES = 10

export interface OpstackEntry {
  readonly chainId: bigint
  readonly version: bigint
}

export function encodeOpstackEntry(chainId: bigint): Uint8Array {
  return Uint8Array.from([...uvarint(chainId), ...uvarint(VERSION)])
}

/** Ignores data that later versions may append. */
export function decodeOpstackEntry(raw: Uint8Array): OpstackEntry | null {
  const chainId = readUvarint(raw, 0)
  const version = chainId === null ? null : readUvarint(raw, chainId.end)
  return chainId === null || version === null ? null : { chainId: chainId.value, version: version.value }
}

export function isOfChain(entry: OpstackEntry, chainId: bigint): boolean {
  return entry.chainId === chainId && entry.version === VERSION
}

function uvarint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

function readUvarint(raw: Uint8Array, from: number): { readonly value: bigint; readonly end: number } | null {
  let value = 0n
  for (let i = 0; i < MAX_VARINT_BYTES; i++) {
    const byte = raw[from + i]
    if (byte === undefined) return null
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return value < 2n ** 64n ? { value, end: from + i + 1 } : null
  }
  return null
}
