/**
 * Blocks, receipts and the canonical chain on disk. Three writes, each whole or not at all: batch A
 * (`stageBlock`, with the state layer) before a block is called valid, batch C (`setForkchoice`) when
 * the chain is chosen, and the state's own flattening in between (state-keeper.ts).
 */
import {
  type Address,
  type Block,
  bigintToBytes,
  bytesToHex,
  bytesToNumber,
  decodeHeader,
  encodeHeader,
  type Hash,
  type Header,
  ZERO_HASH,
} from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { ExecutionError } from '../errors.ts'
import { planForkchoice } from './forkchoice-plan.ts'
import {
  blockAtKey,
  bodyKey,
  canonicalKey,
  headerKey,
  labelsKey,
  logPostingRange,
  logsIndexedFromKey,
  numberOfPosting,
  receiptsKey,
  transactionKey,
  U64_BYTES,
} from './keys.ts'
import { createLruCache } from './lru.ts'
import {
  bloomOfEncodedHeader,
  decodeLabels,
  decodeLocation,
  decodeStoredBlock,
  decodeStoredReceipts,
  encodeBody,
  encodeLabels,
  encodeStoredReceipts,
  type LabelHashes,
  type StoredReceipt,
  type TransactionLocation,
  transactionHashInBody,
} from './records.ts'

/** A header with the hash it was found under. */
export interface SealedHeader {
  readonly hash: Hash
  readonly header: Header
}

export type ChainLabel = 'unsafe' | 'safe' | 'finalized'

/** How the canonical chain moved; the blocks are in ascending order. */
export interface ChainMove {
  readonly head: SealedHeader
  readonly safe: SealedHeader
  readonly finalized: SealedHeader
  /** No longer canonical. */
  readonly removed: readonly Block[]
  /** Newly canonical; empty when the head went back to an ancestor. */
  readonly added: readonly Block[]
}

/** What readers (RPC, pool, builder) may do with the chain. All answers are at once and consistent with one head. */
export interface ChainReader {
  readonly genesis: SealedHeader
  label(label: ChainLabel): SealedHeader
  header(hash: Hash): Header | null
  block(hash: Hash): Block | null
  receipts(hash: Hash): readonly StoredReceipt[] | null
  /** Null above the head. */
  canonicalHash(number: number): Hash | null
  isCanonical(block: SealedHeader): boolean
  /** Where a transaction stands in the canonical chain. */
  locate(transaction: Hash): TransactionLocation | null
  /** The 256-byte log filter of a block, without reading the rest; null when unknown. */
  bloom(hash: Hash): Uint8Array | null
  /** Of one transaction in a stored block, without decoding the others; null when there is none. */
  transactionHash(block: Hash, index: number): Hash | null
  /** From this block on `blocksWithLogs` knows every canonical block; earlier ones were written by an older release. */
  readonly logsIndexedFrom: number
  /** Numbers in [from, to] of blocks that may have a log of `address` (with this first topic), ascending; some may have none. */
  blocksWithLogs(address: Address, topic: Hash | null, from: number, to: number): AsyncIterable<number>
  /** Hash of an ancestor of `from` (a block by hash, `from` included), following parents. */
  ancestorHash(from: SealedHeader, number: number): Hash | null
}

export interface ChainStore extends ChainReader {
  /** Writes of batch A that belong to the chain; `publish` after they were written. */
  stageBlock(block: Block, receipts: readonly StoredReceipt[]): { readonly ops: readonly KeyValueOp[]; publish(): void }
  /** Removes a block that can never become canonical. */
  pruneOps(hash: Hash): KeyValueOp[]
  /** Batch C. Zero hashes leave safe and finalized where they are, or move them down with the chain. */
  setForkchoice(state: LabelHashes, options?: { readonly sync?: boolean }): Promise<ChainMove>
}

export interface ChainStoreOptions {
  readonly genesis: SealedHeader
  /** Blocks and receipts kept decoded. */
  readonly cachedBlocks: number
}

/** The genesis block must be in the store. Throws ExecutionError `execution/corrupt-record`. */
export function openChainStore(store: KeyValueStore, options: ChainStoreOptions): ChainStore {
  const headers = createLruCache<Hash, Header>(options.cachedBlocks * 4)
  const blocks = createLruCache<Hash, Block>(options.cachedBlocks)
  const receiptLists = createLruCache<Hash, readonly StoredReceipt[]>(options.cachedBlocks)

  const header = (hash: Hash): Header | null => {
    const cached = headers.get(hash)
    if (cached !== undefined) return cached
    const raw = store.getSync(headerKey(hash))
    if (raw === null) return null
    const decoded = decodeHeader(raw)
    headers.set(hash, decoded)
    return decoded
  }
  const sealed = (hash: Hash, what: string): SealedHeader => {
    const found = header(hash)
    if (found === null) {
      throw new ExecutionError(
        'execution/corrupt-record',
        `the ${what} block ${hash} is not in the data directory; start with an empty one`,
        {
          hash,
        },
      )
    }
    return { hash, header: found }
  }
  const block = (hash: Hash): Block | null => {
    const cached = blocks.get(hash)
    if (cached !== undefined) return cached
    const rawHeader = store.getSync(headerKey(hash))
    const rawBody = rawHeader === null ? null : store.getSync(bodyKey(hash))
    if (rawHeader === null || rawBody === null) return null
    const decoded = decodeStoredBlock(hash, rawHeader, rawBody)
    blocks.set(hash, decoded)
    return decoded
  }

  const rawLabels = store.getSync(labelsKey())
  const { hash: genesisHash } = options.genesis
  const opened = rawLabels === null ? { head: genesisHash, safe: genesisHash, finalized: genesisHash } : decodeLabels(rawLabels)
  let labels = {
    unsafe: sealed(opened.head, 'head'),
    safe: sealed(opened.safe, 'safe'),
    finalized: sealed(opened.finalized, 'finalized'),
  }

  const canonicalHash = (number: number): Hash | null => {
    if (number > labels.unsafe.header.number || number < 0) return null
    if (number === labels.unsafe.header.number) return labels.unsafe.hash
    const raw = store.getSync(canonicalKey(number))
    return raw === null ? null : (bytesToHex(raw) as Hash)
  }
  const rawIndexedFrom = store.getSync(logsIndexedFromKey())
  const logsIndexedFrom = rawIndexedFrom === null ? labels.unsafe.header.number + 1 : bytesToNumber(rawIndexedFrom)
  let indexMarked = rawIndexedFrom !== null

  const reader: ChainReader = {
    transactionHash(blockHash, index) {
      const cached = blocks.get(blockHash)
      if (cached !== undefined) return cached.transactions[index]?.hash ?? null
      const rawBody = store.getSync(bodyKey(blockHash))
      return rawBody === null ? null : transactionHashInBody(rawBody, index)
    },
    logsIndexedFrom,
    async *blocksWithLogs(address, topic, from, to) {
      for await (const [posting] of store.range(...logPostingRange(address, topic, from, to + 1))) yield numberOfPosting(posting)
    },
    genesis: options.genesis,
    label: (label) => labels[label],
    header,
    block,
    receipts(hash) {
      const cached = receiptLists.get(hash)
      if (cached !== undefined) return cached
      const raw = store.getSync(receiptsKey(hash))
      if (raw === null) return null
      const decoded = decodeStoredReceipts(raw)
      receiptLists.set(hash, decoded)
      return decoded
    },
    canonicalHash,
    isCanonical: (at) => canonicalHash(at.header.number) === at.hash,
    locate(transaction) {
      const raw = store.getSync(transactionKey(transaction))
      if (raw === null) return null
      const location = decodeLocation(raw)
      return location.blockNumber <= labels.unsafe.header.number ? location : null
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

  return {
    ...reader,
    stageBlock(imported, receipts) {
      const { hash } = imported
      return {
        ops: [
          { put: headerKey(hash), value: encodeHeader(imported.header) },
          { put: bodyKey(hash), value: encodeBody(imported) },
          { put: receiptsKey(hash), value: encodeStoredReceipts(receipts) },
          { put: blockAtKey(imported.header.number, hash), value: new Uint8Array(0) },
        ],
        publish() {
          headers.set(hash, imported.header)
          blocks.set(hash, imported)
          receiptLists.set(hash, receipts)
        },
      }
    },
    pruneOps(hash) {
      const pruned = header(hash)
      if (pruned === null || canonicalHash(pruned.number) === hash) return []
      headers.delete(hash)
      blocks.delete(hash)
      receiptLists.delete(hash)
      return [headerKey(hash), bodyKey(hash), receiptsKey(hash), blockAtKey(pruned.number, hash)].map((del) => ({ del }))
    },
    async setForkchoice(state, writeOptions) {
      const head = sealed(state.head, 'head')
      const plan = planForkchoice(reader, head)
      const clamp = (wanted: Hash, current: SealedHeader): SealedHeader => {
        if (wanted !== ZERO_HASH) return sealed(wanted, 'labelled')
        return current.header.number <= plan.ancestor.header.number ? current : plan.ancestor
      }
      const finalized = clamp(state.finalized, labels.finalized)
      const keptSafe = clamp(state.safe, labels.safe)
      const safe = keptSafe.header.number < finalized.header.number ? finalized : keptSafe
      const ops: KeyValueOp[] = [
        ...plan.ops,
        { put: labelsKey(), value: encodeLabels({ head: head.hash, safe: safe.hash, finalized: finalized.hash }) },
      ]
      if (!indexMarked) ops.push({ put: logsIndexedFromKey(), value: bigintToBytes(BigInt(logsIndexedFrom), U64_BYTES) })
      await store.batch(ops, writeOptions)
      indexMarked = true
      labels = { unsafe: head, safe, finalized }
      return { head, safe, finalized, removed: plan.removed, added: plan.added }
    },
  }
}
