/** Merges the disk table with layers, in hash order. */
import { type Account, type Bytes20, type Bytes32, compareBytes } from '@keelson/primitives'
import { decodeFlatAccount } from '../account-codec.ts'
import { BUCKETS, bucketKey, prefixRange } from '../buckets.ts'
import { bytesToKey, keyToBytes } from '../byte-key.ts'
import type { Hasher } from '../hasher.ts'
import type { Line } from '../layers/line.ts'
import type { KeyValueStore } from '../ports.ts'
import { padSlotValue, trimSlotValue } from '../slot-value.ts'
import type { DumpedAccount, DumpedSlot } from '../state-store.ts'

interface Change<T> {
  readonly hash: Bytes32
  readonly preimage: Uint8Array
  readonly value: T | null
}

export interface DumpSource {
  readonly store: KeyValueStore
  readonly hash: Hasher
  readonly lineage: Line
  assertUnmoved(): void
}

export async function* dumpAccounts(source: DumpSource, start?: Bytes32): AsyncIterable<DumpedAccount> {
  const changes = new Map<string, Change<Account>>()
  for (const layer of oldestFirst(source.lineage)) {
    for (const [key, account] of layer.accounts) {
      const address = keyToBytes(key)
      changes.set(key, { hash: source.hash(address), preimage: address, value: account })
    }
  }
  const rows = merged(source, bucketKey(BUCKETS.account, new Uint8Array(0)), [...changes.values()], decodeFlatAccount, start)
  for await (const { hash, preimage, value } of rows) yield { addressHash: hash, address: preimage, account: value }
}

export async function* dumpStorage(source: DumpSource, address: Bytes20, start?: Bytes32): AsyncIterable<DumpedSlot> {
  const owner = bytesToKey(address)
  const changes = new Map<string, Change<Bytes32>>()
  let wiped = false
  for (const layer of oldestFirst(source.lineage)) {
    if (layer.wiped.has(owner)) {
      changes.clear()
      wiped = true
    }
    const change = layer.changes.find((other) => compareBytes(other.address, address) === 0)
    for (const [slot, value] of change?.slots ?? []) {
      const gone = trimSlotValue(value).length === 0
      changes.set(bytesToKey(slot), { hash: source.hash(slot), preimage: slot, value: gone ? null : value })
    }
  }
  const prefix = bucketKey(BUCKETS.slot, source.hash(address))
  const rows = merged(source, wiped ? null : prefix, [...changes.values()], padSlotValue, start)
  for await (const { hash, preimage, value } of rows) yield { slotHash: hash, slot: preimage, value }
}

function oldestFirst(lineage: Line) {
  return [...lineage].sort((a, b) => a.number - b.number)
}

/** A null prefix skips the disk table. */
async function* merged<T>(
  source: DumpSource,
  prefix: Uint8Array | null,
  changes: readonly Change<T>[],
  decode: (bytes: Uint8Array) => T,
  start: Bytes32 = new Uint8Array(32),
): AsyncIterable<{ readonly hash: Bytes32; readonly preimage: Uint8Array | null; readonly value: T }> {
  const sorted = [...changes].filter((c) => compareBytes(c.hash, start) >= 0).sort((a, b) => compareBytes(a.hash, b.hash))
  let next = 0
  for await (const [hash, bytes] of diskRows(source, prefix, start)) {
    source.assertUnmoved()
    for (; next < sorted.length; next++) {
      const change = sorted[next] as Change<T>
      if (compareBytes(change.hash, hash) >= 0) break
      if (change.value !== null) yield { ...change, value: change.value }
    }
    if (next < sorted.length && compareBytes((sorted[next] as Change<T>).hash, hash) === 0) continue
    yield { hash, preimage: source.store.getSync(bucketKey(BUCKETS.preimage, hash)), value: decode(bytes) }
  }
  source.assertUnmoved()
  for (; next < sorted.length; next++) {
    const change = sorted[next] as Change<T>
    if (change.value !== null) yield { ...change, value: change.value }
  }
}

async function* diskRows(source: DumpSource, prefix: Uint8Array | null, start: Bytes32): AsyncIterable<readonly [Bytes32, Uint8Array]> {
  if (prefix === null) return
  const from = new Uint8Array(prefix.length + 32)
  from.set(prefix)
  from.set(start, prefix.length)
  for await (const [key, value] of source.store.range(from, prefixRange(prefix).to)) yield [key.subarray(prefix.length), value]
}
