/**
 * Reads see writes immediately; blocks are written atomically with the cursor. Buckets: 0x01 cursor; 0x02 records by L1
 * transaction; 0x03 by L1 block; 0x04 in progress; 0x05 in the pool by time; 0x06 hashes of unfinalized L1 blocks; 0x07 records
 * without a deposit by time.
 */
import { bigintToBytes, bytesToHex, concatBytes, type Hash, hexToBytes } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { decodeRecord, encodeRecord, isFinal, type TransactionRecord } from './record.ts'

export interface Cursor {
  readonly number: number
  readonly hash: Hash | null
}

export interface RecordStore {
  get(txHash: Hash): TransactionRecord | null
  /** If `change` returns null, the record is kept. */
  update(txHash: Hash, change: (current: TransactionRecord | null) => TransactionRecord | null): Promise<void>
  readonly cursor: Cursor | null
  hashAt(number: number): Hash | null
  readonly oldestHash: number | null
  advance(cursor: Cursor, records: readonly TransactionRecord[], keepHash: boolean): Promise<void>
  retreat(cursor: Cursor, change: (record: TransactionRecord) => TransactionRecord): Promise<void>
  forgetHashes(number: number): Promise<void>
  nextOpen(limit: number): Promise<readonly TransactionRecord[]>
  countOpen(limit: number): Promise<number>
  /** Deletes at most `limit` of each kind. */
  prune(limits: {
    readonly blocksBeforeSec: number
    readonly poolBeforeMs: number
    readonly maxPool: number
    readonly maxRefused: number
    readonly limit: number
  }): Promise<number>
  close(): Promise<void>
}

const CURSOR = Uint8Array.of(0x01)
const NUMBER_BYTES = 8

const recordKey = (txHash: Hash) => concatBytes(Uint8Array.of(0x02), hexToBytes(txHash))
const numberKey = (bucket: number, value: number) => concatBytes(Uint8Array.of(bucket), bigintToBytes(BigInt(value), NUMBER_BYTES))
const blockKey = (number: number, txHash: Hash) => concatBytes(numberKey(0x03, number), hexToBytes(txHash))
const openKey = (txHash: Hash) => concatBytes(Uint8Array.of(0x04), hexToBytes(txHash))
const poolKey = (seenMs: number, txHash: Hash) => concatBytes(numberKey(0x05, seenMs), hexToBytes(txHash))
const refusedKey = (submittedMs: number, txHash: Hash) => concatBytes(numberKey(0x07, submittedMs), hexToBytes(txHash))
const hashKey = (number: number) => numberKey(0x06, number)
const end = (bucket: number) => Uint8Array.of(bucket + 1)

const numberOf = (key: Uint8Array) => Number(BigInt(bytesToHex(key.subarray(1, 1 + NUMBER_BYTES))))
const txHashAtEnd = (key: Uint8Array) => bytesToHex(key.subarray(key.length - 32)) as Hash

function isOpen(record: TransactionRecord): boolean {
  return record.block !== null && record.reason === null && !isFinal(record)
}

function indexKeys(record: TransactionRecord): Uint8Array[] {
  return [
    record.block === null ? poolKey(record.submittedMs, record.txHash) : blockKey(record.block.number, record.txHash),
    ...(isOpen(record) ? [openKey(record.txHash)] : []),
    ...(record.reason === null ? [] : [refusedKey(record.submittedMs, record.txHash)]),
  ]
}

function writeOps(before: TransactionRecord | null, after: TransactionRecord): KeyValueOp[] {
  const empty = new Uint8Array(0)
  return [
    ...(before === null ? [] : indexKeys(before).map((del) => ({ del }))),
    { put: recordKey(after.txHash), value: encodeRecord(after) },
    ...indexKeys(after).map((put) => ({ put, value: empty })),
  ]
}

export async function openRecordStore(store: KeyValueStore): Promise<RecordStore> {
  const unwritten = new Map<Hash, TransactionRecord>()
  const hashes = new Map<number, Hash>()
  for await (const [key, value] of store.range(hashKey(0), end(0x06))) hashes.set(numberOf(key), bytesToHex(value) as Hash)
  const found = store.getSync(CURSOR)
  let cursor: Cursor | null = found === null ? null : (JSON.parse(new TextDecoder().decode(found)) as Cursor)
  let openFrom = openKey(`0x${'00'.repeat(32)}` as Hash)

  const get = (txHash: Hash): TransactionRecord | null => {
    const waiting = unwritten.get(txHash)
    if (waiting !== undefined) return waiting
    const bytes = store.getSync(recordKey(txHash))
    return bytes === null ? null : decodeRecord(bytes)
  }
  const cursorOp = (): KeyValueOp => ({ put: CURSOR, value: new TextEncoder().encode(JSON.stringify(cursor)) })

  /** Synchronous until the write, so that reads see the records at once. */
  const write = async (records: readonly TransactionRecord[], more: readonly KeyValueOp[] = [], sync = false): Promise<void> => {
    const ops = [...records.flatMap((record) => writeOps(get(record.txHash), record)), ...more]
    for (const record of records) unwritten.set(record.txHash, record)
    await store.batch(ops, { sync })
    for (const record of records) if (unwritten.get(record.txHash) === record) unwritten.delete(record.txHash)
  }

  const keysIn = async (from: Uint8Array, to: Uint8Array, limit: number): Promise<Uint8Array[]> => {
    const keys: Uint8Array[] = []
    for await (const [key] of store.range(from, to, { limit })) keys.push(key)
    return keys
  }
  const oldest = () => (hashes.size === 0 ? null : Math.min(...hashes.keys()))

  return {
    get,
    async update(txHash, change) {
      const changed = change(get(txHash))
      if (changed !== null) await write([changed])
    },
    get cursor() {
      return cursor
    },
    hashAt: (number) => hashes.get(number) ?? null,
    get oldestHash() {
      return oldest()
    },
    async advance(to, records, keepHash) {
      cursor = to
      const ops = [cursorOp()]
      if (keepHash && to.hash !== null) {
        hashes.set(to.number, to.hash)
        ops.push({ put: hashKey(to.number), value: hexToBytes(to.hash) })
      }
      await write(records, ops, records.length > 0)
    },
    async retreat(to, change) {
      const from = to.number + 1
      const keys = await keysIn(numberKey(0x03, from), end(0x03), Number.MAX_SAFE_INTEGER)
      const records = keys.map((key) => get(txHashAtEnd(key))).filter((record) => record !== null && (record.block?.number ?? -1) >= from)
      const gone = [...hashes.keys()].filter((number) => number >= from)
      for (const number of gone) hashes.delete(number)
      cursor = to
      await write(
        records.map((record) => change(record as TransactionRecord)),
        [cursorOp(), ...gone.map((number) => ({ del: hashKey(number) }))],
        true,
      )
    },
    async forgetHashes(number) {
      const gone = [...hashes.keys()].filter((have) => have < number)
      if (gone.length === 0) return
      for (const have of gone) hashes.delete(have)
      await store.batch(gone.map((have) => ({ del: hashKey(have) })))
    },
    async nextOpen(limit) {
      let keys = await keysIn(openFrom, end(0x04), limit)
      if (keys.length < limit) keys = [...keys, ...(await keysIn(Uint8Array.of(0x04), openFrom, limit - keys.length))]
      const last = keys.at(-1)
      if (last !== undefined) openFrom = concatBytes(last, Uint8Array.of(0))
      return keys.map((key) => get(txHashAtEnd(key))).filter((record) => record !== null)
    },
    countOpen: async (limit) => (await keysIn(Uint8Array.of(0x04), end(0x04), limit)).length,
    async prune({ blocksBeforeSec, poolBeforeMs, maxPool, maxRefused, limit }) {
      const old: TransactionRecord[] = []
      for await (const [key] of store.range(numberKey(0x03, 0), end(0x03), { limit })) {
        const record = get(txHashAtEnd(key))
        // Keys are in block order, so the rest is younger.
        if (record?.block == null || record.block.timestampSec >= blocksBeforeSec) break
        old.push(record)
      }
      const inPool = await keysIn(numberKey(0x05, 0), end(0x05), maxPool + limit)
      const tooMany = Math.max(0, inPool.length - maxPool)
      const waiting = inPool
        .filter((key, i) => i < limit && (i < tooMany || numberOf(key) < poolBeforeMs))
        .map((key) => get(txHashAtEnd(key)))
        .filter((record) => record !== null && record.block === null)
      const refused = await keysIn(numberKey(0x07, 0), end(0x07), maxRefused + limit)
      const excess = refused.slice(0, Math.max(0, refused.length - maxRefused)).map((key) => get(txHashAtEnd(key)))
      const found = [...old, ...waiting, ...excess].filter((record) => record !== null)
      const gone = [...new Map(found.map((record) => [record.txHash, record])).values()]
      const ops = gone.flatMap((record) => [recordKey(record.txHash), ...indexKeys(record)].map((del) => ({ del })))
      if (ops.length > 0) await store.batch(ops)
      return gone.length
    },
    close: () => store.close(),
  }
}
