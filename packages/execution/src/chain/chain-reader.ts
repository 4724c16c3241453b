import { type Address, type Block, bytesToHex, bytesToNumber, decodeHeader, type Hash, type Header } from '@keelson/primitives'
import type { KeyValueReader } from '@keelson/runtime'
import { ExecutionError } from '../errors.ts'
import type { MemoryUse } from '../memory-use.ts'
import {
  bodyKey,
  canonicalKey,
  headerKey,
  labelsKey,
  logPostingRange,
  logsIndexedFromKey,
  numberOfPosting,
  receiptsKey,
  transactionKey,
} from './keys.ts'
import { createMemoryCache } from './memory-cache.ts'
import { blockMemoryBytes, headerMemoryBytes, receiptsMemoryBytes } from './memory-sizes.ts'
import {
  bloomOfEncodedHeader,
  decodeLabels,
  decodeLocation,
  decodeStoredBlock,
  decodeStoredReceipts,
  type StoredReceipt,
  type TransactionLocation,
} from './records.ts'
import { TransactionHashes } from './transaction-hashes.ts'

interface Cache<V> {
  get(hash: Hash): V | undefined
  set(hash: Hash, value: V): unknown
}

export interface SealedHeader {
  readonly hash: Hash
  readonly header: Header
}

export type ChainLabel = 'unsafe' | 'safe' | 'finalized'

export interface ChainReader {
  readonly genesis: SealedHeader
  label(label: ChainLabel): SealedHeader
  header(hash: Hash): Header | null
  block(hash: Hash): Block | null
  receipts(hash: Hash): readonly StoredReceipt[] | null
  canonicalHash(number: number): Hash | null
  isCanonical(block: SealedHeader): boolean
  locate(transaction: Hash): TransactionLocation | null
  bloom(hash: Hash): Uint8Array | null
  transactionHash(block: Hash, index: number): Hash | null
  /** An older release wrote earlier blocks without index. */
  readonly logsIndexedFrom: number
  /** Blocks in [from, to] that may have a matching log, ascending. */
  blocksWithLogs(address: Address, topic: Hash | null, from: number, to: number): AsyncIterable<number>
  ancestorHash(from: SealedHeader, number: number): Hash | null
}

export interface ChainCaches {
  readonly headers: Cache<Header>
  readonly blocks: Cache<Block>
  readonly receipts: Cache<readonly StoredReceipt[]>
  readonly transactionHashes: TransactionHashes
}

const DEFAULT_CHAIN_CACHE_BYTES = 96 * 2 ** 20

export type ChainLabels = Readonly<Record<ChainLabel, SealedHeader>>

export function createChainCaches(cachedBlocks: number, maxBytes = DEFAULT_CHAIN_CACHE_BYTES) {
  return {
    headers: createMemoryCache<Header>({ maxEntries: cachedBlocks * 4, maxBytes: maxBytes / 16, bytesOf: headerMemoryBytes }),
    blocks: createMemoryCache<Block>({ maxEntries: cachedBlocks, maxBytes: maxBytes / 2, bytesOf: blockMemoryBytes }),
    receipts: createMemoryCache<readonly StoredReceipt[]>({
      maxEntries: cachedBlocks,
      maxBytes: (maxBytes * 7) / 16,
      bytesOf: receiptsMemoryBytes,
    }),
    transactionHashes: new TransactionHashes(),
  }
}

export function chainMemory(caches: ReturnType<typeof createChainCaches>, maxBytes = DEFAULT_CHAIN_CACHE_BYTES): readonly MemoryUse[] {
  return [
    { name: 'headers', maxBytes: maxBytes / 16, bytes: () => caches.headers.calculatedSize },
    { name: 'blocks', maxBytes: maxBytes / 2, bytes: () => caches.blocks.calculatedSize },
    { name: 'receipts', maxBytes: (maxBytes * 7) / 16, bytes: () => caches.receipts.calculatedSize },
  ]
}

export function readLabels(store: KeyValueReader, caches: ChainCaches, genesis: SealedHeader): ChainLabels {
  const raw = store.getSync(labelsKey())
  const { head, safe, finalized } = raw === null ? { head: genesis.hash, safe: genesis.hash, finalized: genesis.hash } : decodeLabels(raw)
  return {
    unsafe: getSealed(store, caches, head, 'head'),
    safe: getSealed(store, caches, safe, 'safe'),
    finalized: getSealed(store, caches, finalized, 'finalized'),
  }
}

export function readLogsIndexedFrom(store: KeyValueReader): number | null {
  const raw = store.getSync(logsIndexedFromKey())
  return raw === null ? null : bytesToNumber(raw)
}

/** Throws ExecutionError `execution/corrupt-record`. */
export function getSealed(store: KeyValueReader, caches: ChainCaches, hash: Hash, what: string): SealedHeader {
  const header = readHeader(store, caches, hash)
  if (header !== null) return { hash, header }
  const message = `the ${what} block ${hash} is not in the data directory; start with an empty one`
  throw new ExecutionError('execution/corrupt-record', message, { hash })
}

export function openChainReader(snapshot: KeyValueReader, caches: ChainCaches, genesis: SealedHeader): ChainReader {
  const labels = readLabels(snapshot, caches, genesis)
  const logsIndexedFrom = readLogsIndexedFrom(snapshot) ?? labels.unsafe.header.number + 1
  const canonicalHash = rememberCanonical(snapshot, labels)
  const held = heldBy(snapshot, caches, canonicalHash)
  return createChainReader(snapshot, { caches: held, genesis, labels: () => labels, canonicalHash, logsIndexedFrom })
}

type CanonicalHash = ChainReader['canonicalHash']

const MAX_REMEMBERED_NUMBERS = 4_096

/** A snapshot does not change. */
function rememberCanonical(snapshot: KeyValueReader, labels: ChainLabels): CanonicalHash {
  const known = new Map<number, Hash | null>()
  return (number) => {
    const before = known.get(number)
    if (before !== undefined) return before
    const hash = findCanonical(snapshot, labels, number)
    if (known.size < MAX_REMEMBERED_NUMBERS) known.set(number, hash)
    return hash
  }
}

/** Hides cached blocks that were pruned from the snapshot. */
function heldBy(snapshot: KeyValueReader, caches: ChainCaches, canonicalHash: CanonicalHash): ChainCaches {
  const known = <V>(cache: Cache<V>, isHeld: (hash: Hash, value: V) => boolean): Cache<V> => ({
    set: (hash, value) => cache.set(hash, value),
    get(hash) {
      const value = cache.get(hash)
      return value !== undefined && isHeld(hash, value) ? value : undefined
    },
  })
  const headers = known(caches.headers, (hash, { number }) => canonicalHash(number) === hash)
  const isHeld = (hash: Hash) => readHeader(snapshot, { headers }, hash) !== null
  return { ...caches, headers, blocks: known(caches.blocks, isHeld), receipts: known(caches.receipts, isHeld) }
}

function findCanonical(store: KeyValueReader, labels: ChainLabels, number: number): Hash | null {
  const head = labels.unsafe
  if (number > head.header.number || number < 0) return null
  if (number === head.header.number) return head.hash
  const raw = store.getSync(canonicalKey(number))
  return raw === null ? null : (bytesToHex(raw) as Hash)
}

export interface ChainReaderParts {
  readonly caches: ChainCaches
  readonly genesis: SealedHeader
  labels(): ChainLabels
  readonly canonicalHash?: CanonicalHash
  readonly logsIndexedFrom: number
}

export function createChainReader(store: KeyValueReader, parts: ChainReaderParts): ChainReader {
  const { caches, genesis, labels, logsIndexedFrom } = parts
  const header = (hash: Hash) => readHeader(store, caches, hash)
  const canonicalHash = parts.canonicalHash ?? ((number: number) => findCanonical(store, labels(), number))

  return {
    transactionHash(blockHash, index) {
      const cached = caches.blocks.get(blockHash)
      if (cached !== undefined) return cached.transactions[index]?.hash ?? null
      return caches.transactionHashes.get(blockHash, index, () => store.getSync(bodyKey(blockHash)))
    },
    logsIndexedFrom,
    async *blocksWithLogs(address, topic, from, to) {
      for await (const [posting] of store.range(...logPostingRange(address, topic, from, to + 1))) yield numberOfPosting(posting)
    },
    genesis,
    label: (label) => labels()[label],
    header,
    block: (hash) => readBlock(store, caches, hash),
    receipts(hash) {
      const cached = caches.receipts.get(hash)
      if (cached !== undefined) return cached
      const raw = store.getSync(receiptsKey(hash))
      if (raw === null) return null
      const decoded = decodeStoredReceipts(raw)
      caches.receipts.set(hash, decoded)
      return decoded
    },
    canonicalHash,
    isCanonical: (at) => canonicalHash(at.header.number) === at.hash,
    locate(transaction) {
      const raw = store.getSync(transactionKey(transaction))
      if (raw === null) return null
      const location = decodeLocation(raw)
      return location.blockNumber <= labels().unsafe.header.number ? location : null
    },
    bloom(hash) {
      const raw = store.getSync(headerKey(hash))
      return raw === null ? null : bloomOfEncodedHeader(raw)
    },
    ancestorHash(from, number) {
      let at: SealedHeader = from
      while (at.header.number > number) {
        if (canonicalHash(at.header.number) === at.hash) return canonicalHash(number)
        const parent = header(at.header.parentHash)
        if (parent === null) return null
        at = { hash: at.header.parentHash, header: parent }
      }
      return at.header.number === number ? at.hash : null
    },
  }
}

function readHeader(store: KeyValueReader, { headers }: Pick<ChainCaches, 'headers'>, hash: Hash): Header | null {
  const cached = headers.get(hash)
  if (cached !== undefined) return cached
  const raw = store.getSync(headerKey(hash))
  if (raw === null) return null
  const decoded = decodeHeader(raw)
  headers.set(hash, decoded)
  return decoded
}

function readBlock(store: KeyValueReader, { blocks }: ChainCaches, hash: Hash): Block | null {
  const cached = blocks.get(hash)
  if (cached !== undefined) return cached
  const rawHeader = store.getSync(headerKey(hash))
  const rawBody = rawHeader === null ? null : store.getSync(bodyKey(hash))
  if (rawHeader === null || rawBody === null) return null
  const decoded = decodeStoredBlock(hash, rawHeader, rawBody)
  blocks.set(hash, decoded)
  return decoded
}
