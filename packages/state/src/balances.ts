/** The reader must not change while balances are read. */
import { type Bytes20, type Bytes32, decodeStateDiff, type Hash, hexToBytes, keccak256 } from '@keelson/primitives'
import { decodeFlatAccount } from './account-codec.ts'
import { BUCKETS, bucketKey, META_HISTORY, metaKey, prefixRange } from './buckets.ts'
import { bytesToKey, keyToBytes } from './byte-key.ts'
import { decodeHistoryBounds, getHistoryBlock } from './history/history-block.ts'
import { readAtBlock } from './history/history-value.ts'
import { decodeLayerRecord, type LayerRecord } from './layers/layer-record.ts'
import type { KeyValueReader } from './ports.ts'
import type { StateBlock } from './state-store.ts'
import { readDiskBlock } from './walk-tables.ts'

export interface BalanceTotal {
  readonly wei: bigint
  readonly accounts: number
}

export interface Balances {
  readonly disk: StateBlock
  readonly oldest: number
  changeOf(number: number): BalanceTotal
  balance(address: Bytes20): bigint
  balanceAtOldest(address: Bytes20): bigint
}

const BREATHE_EVERY = 1024

export async function sumTables(reader: KeyValueReader, breathe: (at: Bytes32) => Promise<void>): Promise<BalanceTotal> {
  let [wei, accounts] = [0n, 0]
  const { from, to } = prefixRange(Uint8Array.of(BUCKETS.account))
  for await (const [key, value] of reader.range(from, to)) {
    wei += decodeFlatAccount(value).balanceWei
    if (++accounts % BREATHE_EVERY === 0) await breathe(key.subarray(1))
  }
  return { wei, accounts }
}

/** Null when no layers connect `head` to the tables. */
export async function openBalances(reader: KeyValueReader, head: Hash, breathe: () => Promise<void>): Promise<Balances | null> {
  const disk = readDiskBlock(reader)
  const path = await layersDownTo(reader, head, disk, breathe)
  if (path === null) return null
  const read = (key: string) => reader.getSync(keyToBytes(key))
  const bounds = reader.getSync(metaKey(META_HISTORY))
  const history = bounds === null ? null : decodeHistoryBounds(bounds)
  const oldest = history !== null && history.newest === disk.number ? history.oldest - 1 : disk.number
  const keyOf = (address: Bytes20) => bytesToKey(bucketKey(BUCKETS.account, keccak256(address)))

  const newest = new Map<string, bigint | null>()
  const above = new Map<number, BalanceTotal>()
  for (const hash of path.reverse()) {
    const { number, diff } = layerOf(reader, hash) as LayerRecord
    const total = { wei: 0n, accounts: 0 }
    for (const { address, deleted, balanceWei } of decodeStateDiff(diff).accounts) {
      const known = bytesToKey(address)
      const before = newest.has(known) ? (newest.get(known) as bigint | null) : balanceIn(read(keyOf(address)))
      const after = deleted ? null : balanceWei
      add(total, before, after)
      newest.set(known, after)
    }
    above.set(number, total)
    await breathe()
  }

  return {
    disk,
    oldest,
    changeOf(number) {
      const layer = above.get(number)
      if (layer !== undefined) return layer
      const total = { wei: 0n, accounts: 0 }
      for (const key of getHistoryBlock(read, number).keys) {
        if (key.charCodeAt(0) !== BUCKETS.account) continue
        add(total, balanceIn(readAtBlock(read, key, number - 1, read)), balanceIn(readAtBlock(read, key, number, read)))
      }
      return total
    },
    balance(address) {
      const known = bytesToKey(address)
      return (newest.has(known) ? newest.get(known) : balanceIn(read(keyOf(address)))) ?? 0n
    },
    balanceAtOldest: (address) => balanceIn(readAtBlock(read, keyOf(address), oldest, read)) ?? 0n,
  }
}

async function layersDownTo(reader: KeyValueReader, head: Hash, disk: StateBlock, breathe: () => Promise<void>): Promise<Hash[] | null> {
  const path: Hash[] = []
  for (let at = head; at !== disk.hash; ) {
    const layer = layerOf(reader, at)
    if (layer === null || layer.number <= disk.number) return null
    path.push(at)
    at = layer.parentHash
    await breathe()
  }
  return path
}

function layerOf(reader: KeyValueReader, hash: Hash): LayerRecord | null {
  const record = reader.getSync(bucketKey(BUCKETS.layer, hexToBytes(hash)))
  return record === null ? null : decodeLayerRecord(record)
}

function balanceIn(record: Uint8Array | null): bigint | null {
  return record === null ? null : decodeFlatAccount(record).balanceWei
}

function add(total: { wei: bigint; accounts: number }, before: bigint | null, after: bigint | null): void {
  total.wei += (after ?? 0n) - (before ?? 0n)
  total.accounts += Number(after !== null) - Number(before !== null)
}
