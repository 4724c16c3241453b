/** Format: package README. */
import { type Bytes32, bytesToHex, type Hash, hexToBytes, type StateDiff } from '@keelson/primitives'
import { StateError } from '../errors.ts'

const VERSION = 1
const HEAD_LENGTH = 1 + 32 + 32 + 8 + 32

export interface LayerRecord {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly number: number
  readonly stateRoot: Bytes32
  readonly diff: StateDiff
  readonly nodes: Uint8Array
  /** Roots in the order of the diff's accounts; a deleted account has the empty root. */
  readonly storageRoots: readonly Bytes32[]
}

export function encodeLayerRecord(record: LayerRecord): Uint8Array {
  const { diff, nodes, storageRoots } = record
  const out = new Uint8Array(HEAD_LENGTH + 4 + diff.length + 4 + nodes.length + 32 * storageRoots.length)
  const view = new DataView(out.buffer)
  out[0] = VERSION
  out.set(hexToBytes(record.hash), 1)
  out.set(hexToBytes(record.parentHash), 33)
  view.setBigUint64(65, BigInt(record.number))
  out.set(record.stateRoot, 73)
  let at = HEAD_LENGTH
  for (const bytes of [diff, nodes]) {
    view.setUint32(at, bytes.length)
    out.set(bytes, at + 4)
    at += 4 + bytes.length
  }
  for (const root of storageRoots) {
    out.set(root, at)
    at += 32
  }
  return out
}

export function decodeLayerRecord(record: Uint8Array): LayerRecord {
  if (record[0] !== VERSION) {
    throw new StateError('state/corrupt-record', 'critical', `layer record of version ${record[0] ?? 'none'}, expected ${VERSION}`)
  }
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  const diff = section(record, view, HEAD_LENGTH)
  const nodes = section(record, view, diff.end)
  if ((record.length - nodes.end) % 32 !== 0) throw cutShort(record)
  const storageRoots: Bytes32[] = []
  for (let at = nodes.end; at < record.length; at += 32) storageRoots.push(record.subarray(at, at + 32))
  return {
    hash: bytesToHex(record.subarray(1, 33)) as Hash,
    parentHash: bytesToHex(record.subarray(33, 65)) as Hash,
    number: Number(view.getBigUint64(65)),
    stateRoot: record.subarray(73, 105),
    diff: diff.bytes as StateDiff,
    nodes: nodes.bytes,
    storageRoots,
  }
}

function section(record: Uint8Array, view: DataView, at: number): { readonly bytes: Uint8Array; readonly end: number } {
  if (at + 4 > record.length) throw cutShort(record)
  const end = at + 4 + view.getUint32(at)
  if (end > record.length) throw cutShort(record)
  return { bytes: record.subarray(at + 4, end), end }
}

function cutShort(record: Uint8Array): StateError {
  return new StateError('state/corrupt-record', 'critical', `layer record of ${record.length} bytes is cut short`)
}
