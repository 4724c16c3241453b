/** Tag 0: absent, 1: the value, 2: a branch delta. Every 16th change is stored in full to bound the chain of deltas. */
import { EMPTY_BYTES } from '@keelson/primitives'
import { BUCKETS, blockNumberBytes } from '../buckets.ts'
import { bytesToKey } from '../byte-key.ts'
import { StateError } from '../errors.ts'
import { applyBranchDelta, encodeBranchDelta } from './branch-delta.ts'
import { findNextChange, type ReadRecord } from './history-index.ts'

const ABSENT = 0
const FULL = 1
const BRANCH_DELTA = 2
const FULL_EVERY = 16

export function historyValueKey(versionedKey: string, number: number): string {
  return historyValueKeyAt(versionedKey, bytesToKey(blockNumberBytes(number)))
}

export function historyValueKeyAt(versionedKey: string, block: string): string {
  return PREFIX + versionedKey + block
}

const PREFIX = String.fromCharCode(BUCKETS.historyValue)

export function encodeHistoryValue(
  versionedKey: string,
  changesBefore: number,
  older: Uint8Array | null,
  newer: Uint8Array | null,
): Uint8Array {
  if (older === null) return Uint8Array.of(ABSENT)
  if (newer !== null && changesBefore % FULL_EVERY !== 0 && isNodeKey(versionedKey)) {
    const delta = encodeBranchDelta(older, newer)
    if (delta !== null) return tagged(BRANCH_DELTA, delta)
  }
  return tagged(FULL, older)
}

/** Value after block `number`; `current` reads the latest one. */
export function readAtBlock(read: ReadRecord, versionedKey: string, number: number, current: ReadRecord): Uint8Array | null {
  const deltas: Uint8Array[] = []
  let value: Uint8Array | null
  for (let from = number + 1; ; ) {
    const change = findNextChange(read, versionedKey, from)
    if (change === null) {
      value = current(versionedKey)
      break
    }
    const record = read(historyValueKey(versionedKey, change))
    if (record === null)
      throw new StateError('state/corrupt-record', 'critical', `history of block ${change} lacks a value its index names`)
    if (record[0] !== BRANCH_DELTA) {
      value = record[0] === ABSENT ? null : record.subarray(1)
      break
    }
    deltas.push(record.subarray(1))
    from = change + 1
  }
  for (const delta of deltas.reverse()) value = applyBranchDelta(value ?? EMPTY_BYTES, delta)
  return value
}

function isNodeKey(versionedKey: string): boolean {
  const bucket = versionedKey.charCodeAt(0)
  return bucket === BUCKETS.accountNode || bucket === BUCKETS.storageNode
}

function tagged(tag: number, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(1 + bytes.length)
  out[0] = tag
  out.set(bytes, 1)
  return out
}
