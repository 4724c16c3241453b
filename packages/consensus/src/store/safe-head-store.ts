import { type BlockId, bigintToBytes, bytesToNumber, CodecError, concatBytes, hexToBytes, toHash } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { BUCKETS } from './buckets.ts'

export interface SafeHeadEntry {
  readonly l1: BlockId
  readonly l2: BlockId
}

export interface SafeHeadStore {
  /** Also deletes entries above the L1 block of `entry`. */
  record(entry: SafeHeadEntry): Promise<void>
  atOrBefore(l1Number: number): Promise<SafeHeadEntry | null>
  latest(): Promise<SafeHeadEntry | null>
  truncateAfter(l1Number: number): Promise<void>
}

const LAST_NUMBER = Number.MAX_SAFE_INTEGER
/** Thirty days of blocks at 12 seconds. */
const KEPT_L1_BLOCKS = 216_000
const PRUNE_LIMIT = 1_000

function keyOf(l1Number: number): Uint8Array {
  return concatBytes(Uint8Array.of(BUCKETS.safeHeadByL1), bigintToBytes(BigInt(l1Number), 8))
}

function encode(entry: SafeHeadEntry): Uint8Array {
  return concatBytes(hexToBytes(entry.l1.hash), hexToBytes(entry.l2.hash), bigintToBytes(BigInt(entry.l2.number), 8))
}

function decode(key: Uint8Array, value: Uint8Array): SafeHeadEntry {
  if (value.length !== 72) throw new CodecError('codec/number', `safe head entry of ${value.length} bytes, expected 72`)
  return {
    l1: { number: bytesToNumber(key.subarray(1)), hash: toHash(value.subarray(0, 32)) },
    l2: { hash: toHash(value.subarray(32, 64)), number: bytesToNumber(value.subarray(64)) },
  }
}

export function createSafeHeadStore(store: KeyValueStore): SafeHeadStore {
  let highest: number | null = null
  const newest = async (l1Number: number): Promise<SafeHeadEntry | null> => {
    const end = keyOf(Math.min(l1Number, LAST_NUMBER - 1) + 1)
    for await (const [key, value] of store.range(keyOf(0), end, { reverse: true, limit: 1 })) return decode(key, value)
    return null
  }
  const keysAbove = async (l1Number: number): Promise<Uint8Array[]> => {
    const keys: Uint8Array[] = []
    for await (const [key] of store.range(keyOf(l1Number + 1), keyOf(LAST_NUMBER))) keys.push(key)
    return keys
  }
  const keysTooOld = async (l1Number: number): Promise<Uint8Array[]> => {
    const keys: Uint8Array[] = []
    if (l1Number <= KEPT_L1_BLOCKS) return keys
    for await (const [key] of store.range(keyOf(0), keyOf(l1Number - KEPT_L1_BLOCKS), { limit: PRUNE_LIMIT })) keys.push(key)
    return keys
  }
  const drop = (keys: readonly Uint8Array[]): KeyValueOp[] => keys.map((del) => ({ del }))
  return {
    async record(entry) {
      highest ??= (await newest(LAST_NUMBER))?.l1.number ?? -1
      const ops: KeyValueOp[] = [{ put: keyOf(entry.l1.number), value: encode(entry) }]
      if (entry.l1.number < highest) ops.push(...drop(await keysAbove(entry.l1.number)))
      else if (entry.l1.number > highest) ops.push(...drop(await keysTooOld(entry.l1.number)))
      await store.batch(ops)
      highest = entry.l1.number
    },
    atOrBefore: newest,
    latest: () => newest(LAST_NUMBER),
    async truncateAfter(l1Number) {
      const keys = await keysAbove(l1Number)
      if (keys.length > 0) await store.batch(drop(keys))
      highest = null
    },
  }
}
