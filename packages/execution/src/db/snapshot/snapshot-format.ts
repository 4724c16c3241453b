/**
 * A snapshot is a manifest with the hashes of chunks; the chunks hold flat tables and the newest blocks. The import rebuilds the
 * trie, so that the state root proves the tables.
 * - chunk: (u32 key length | key | u32 value length | value)*, in the order of the keys of one table
 */
import {
  bytesToHex,
  CodecError,
  concatBytes,
  decodeHeader,
  type Hash,
  type Header,
  hashHeader,
  hexToBytes,
  isHex,
  keccak256Hash,
  outputRootV0,
} from '@keelson/primitives'
import { ExecutionError } from '../../errors.ts'

export const SNAPSHOT_FORMAT_VERSION = 1
const HASH_BYTES = 32

export interface SnapshotChunk {
  readonly file: string
  readonly bytes: number
  readonly hash: Hash
}

export interface SnapshotManifest {
  readonly formatVersion: number
  readonly chainId: string
  readonly genesisHash: Hash
  readonly blockNumber: number
  readonly blockHash: Hash
  readonly messagePasserStorageRoot: Hash
  /** The number of the genesis block if the chain is complete. */
  readonly oldestBlock: number
  /** RLP of the block's header and its successors'; the output root of any of them proves the snapshot. */
  readonly headers: readonly string[]
  readonly chunks: readonly SnapshotChunk[]
}

export type SnapshotRecord = readonly [key: Uint8Array, value: Uint8Array]

export function manifestHash(manifest: SnapshotManifest): Hash {
  return keccak256Hash(new TextEncoder().encode(JSON.stringify(manifest)))
}

/** Throws ExecutionError `execution/bad-snapshot`. */
export function parseManifest(text: string): SnapshotManifest {
  let value: SnapshotManifest
  try {
    value = JSON.parse(text) as SnapshotManifest
  } catch {
    throw badSnapshot('manifest.json is not JSON')
  }
  if (value?.formatVersion !== SNAPSHOT_FORMAT_VERSION) {
    throw badSnapshot(`its format is version ${String(value?.formatVersion)}; this release reads version ${SNAPSHOT_FORMAT_VERSION}`)
  }
  const hashes = [value.genesisHash, value.blockHash, value.messagePasserStorageRoot]
  const sound =
    hashes.every((hash) => isHex(hash, HASH_BYTES)) &&
    [value.blockNumber, value.oldestBlock].every(isCount) &&
    value.oldestBlock <= value.blockNumber &&
    Array.isArray(value.headers) &&
    value.headers.every((header) => isHex(header)) &&
    Array.isArray(value.chunks) &&
    value.chunks.every(isChunk)
  if (!sound) throw badSnapshot('manifest.json lacks a field, or has one of another form')
  return value
}

function isChunk(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { file, bytes, hash } = value as Record<string, unknown>
  return typeof file === 'string' && /^[0-9]{6}\.chunk$/.test(file) && isCount(bytes) && isHex(hash, HASH_BYTES)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Throws ExecutionError `execution/bad-snapshot`. */
export function snapshotHeaders(manifest: SnapshotManifest): readonly Header[] {
  const headers = manifest.headers.map((rlp, i) => readHeader(rlp, i))
  const first = headers[0]
  if (first === undefined || hashHeader(first) !== manifest.blockHash || first.number !== manifest.blockNumber) {
    throw badSnapshot('its first header is not that of its block')
  }
  for (const [i, header] of headers.entries()) {
    if (i > 0 && header.parentHash !== hashHeader(headers[i - 1] as Header))
      throw badSnapshot(`header ${header.number} does not follow from the one before`)
  }
  return headers
}

function readHeader(rlp: string, index: number): Header {
  try {
    return decodeHeader(hexToBytes(rlp as `0x${string}`))
  } catch (error) {
    if (error instanceof CodecError) throw badSnapshot(`its header ${index} cannot be read: ${error.message}`)
    throw error
  }
}

export function provingOutputRoots(manifest: SnapshotManifest, rootInHeader: (header: Header) => boolean): ReadonlyMap<number, Hash> {
  const roots = new Map<number, Hash>()
  for (const [i, header] of snapshotHeaders(manifest).entries()) {
    const inHeader = rootInHeader(header) ? header.withdrawalsRoot : null
    const storageRoot = i === 0 ? manifest.messagePasserStorageRoot : inHeader
    if (i === 0 && inHeader !== null && inHeader !== manifest.messagePasserStorageRoot)
      throw badSnapshot('its message passer is not that of its header')
    if (storageRoot !== null) roots.set(header.number, outputRootV0(header.stateRoot, storageRoot, hashHeader(header)))
  }
  return roots
}

export function encodeChunk(records: readonly SnapshotRecord[]): Uint8Array {
  return concatBytes(...records.flatMap(([key, value]) => [u32(key.length), key, u32(value.length), value]))
}

/** Throws ExecutionError `execution/bad-snapshot`. */
export function* decodeChunk(chunk: Uint8Array): Iterable<SnapshotRecord> {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
  let at = 0
  const part = (): Uint8Array => {
    const end = at + 4 <= chunk.length ? at + 4 + view.getUint32(at) : Number.POSITIVE_INFINITY
    if (end > chunk.length) throw badSnapshot('a chunk is cut short')
    const bytes = chunk.subarray(at + 4, end)
    at = end
    return bytes
  }
  while (at < chunk.length) yield [part(), part()]
}

export function badSnapshot(what: string): ExecutionError {
  return new ExecutionError('execution/bad-snapshot', `the snapshot cannot be used: ${what}`)
}

function u32(value: number): Uint8Array {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setUint32(0, value)
  return out
}

export function chunkName(index: number): string {
  return `${String(index).padStart(6, '0')}.chunk`
}

export const headerText = (rlp: Uint8Array): string => bytesToHex(rlp)
