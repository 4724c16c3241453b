/** Format: package README. */
import { type Bytes32, bytesToHex, concatBytes, type Hash, hexToBytes } from '@keelson/primitives'
import { BUCKETS, blockNumberBytes, bucketKey } from '../buckets.ts'
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'

const VERSION = 1
const HEAD_LENGTH = 1 + 32 + 32 + 32 + 6 + 4

export interface HistoryBlock {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly parentStateRoot: Bytes32
  readonly bytes: number
  readonly keys: readonly string[]
}

export interface HistoryBounds {
  /** Blocks with records. The state before `oldest` is still readable. */
  readonly oldest: number
  readonly newest: number
  readonly bytes: number
}

export function historyBlockKey(number: number): string {
  return bytesToKey(bucketKey(BUCKETS.historyBlock, blockNumberBytes(number)))
}

export function encodeHistoryBlock(block: HistoryBlock): Uint8Array {
  let length = HEAD_LENGTH
  for (const key of block.keys) length += 1 + key.length
  const out = new Uint8Array(length)
  out[0] = VERSION
  out.set(hexToBytes(block.hash), 1)
  out.set(hexToBytes(block.parentHash), 33)
  out.set(block.parentStateRoot, 65)
  out.set(blockNumberBytes(block.bytes), 97)
  new DataView(out.buffer).setUint32(103, block.keys.length)
  let at = HEAD_LENGTH
  for (const key of block.keys) {
    out[at++] = key.length
    for (let i = 0; i < key.length; i++) out[at++] = key.charCodeAt(i)
  }
  return out
}

export function decodeHistoryBlock(record: Uint8Array): HistoryBlock {
  if (record[0] !== VERSION || record.length < HEAD_LENGTH) {
    throw new StateError('state/corrupt-record', 'critical', `history record of ${record.length} bytes and version ${record[0] ?? 'none'}`)
  }
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  const keys: string[] = []
  let at = HEAD_LENGTH
  for (let i = view.getUint32(103); i > 0; i--) {
    const end = at + 1 + (record[at] ?? record.length)
    if (end > record.length) throw new StateError('state/corrupt-record', 'critical', 'history record is cut short')
    keys.push(bytesToKey(record.subarray(at + 1, end)))
    at = end
  }
  return {
    hash: bytesToHex(record.subarray(1, 33)) as Hash,
    parentHash: bytesToHex(record.subarray(33, 65)) as Hash,
    parentStateRoot: record.subarray(65, 97),
    bytes: uint48(view, 97),
    keys,
  }
}

function readParentStateRoot(record: Uint8Array): Bytes32 {
  return record.subarray(65, 97)
}

export function encodeHistoryBounds(bounds: HistoryBounds): Uint8Array {
  return concatBytes(blockNumberBytes(bounds.oldest), blockNumberBytes(bounds.newest), blockNumberBytes(bounds.bytes))
}

export function decodeHistoryBounds(bytes: Uint8Array): HistoryBounds {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return { oldest: uint48(view, 0), newest: uint48(view, 6), bytes: uint48(view, 12) }
}

function uint48(view: DataView, at: number): number {
  return view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2)
}

/** Throws StateError `state/corrupt-record`. */
export function getHistoryBlock(read: (key: string) => Uint8Array | null, number: number): HistoryBlock {
  return decodeHistoryBlock(getRecord(read, number))
}

export function getParentStateRoot(read: (key: string) => Uint8Array | null, number: number): Bytes32 {
  return readParentStateRoot(getRecord(read, number))
}

function getRecord(read: (key: string) => Uint8Array | null, number: number): Uint8Array {
  const record = read(historyBlockKey(number))
  if (record === null) throw new StateError('state/corrupt-record', 'critical', `the history of block ${number} is listed but not there`)
  return record
}
