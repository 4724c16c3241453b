/**
 * Blocks, receipts and the canonical chain on disk. Three writes, each whole or not at all: batch A
 * (`stageBlock`, with the state layer) before a block is called valid, batch C (`setForkchoice`) when
 * the chain is chosen, and the state's own flattening in between (state-keeper.ts).
 */
import { type Address, type Block, bigintToBytes, encodeHeader, type Hash, type Header, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import type { MemoryUse } from '../memory-use.ts'
import { chainMemory, createChainCaches, createChainReader, getSealed, readLabels, readLogsIndexedFrom } from './chain-reader.ts'
import { planForkchoice } from './forkchoice-plan.ts'
import { blockAtKey, bodyKey, headerKey, labelsKey, logsIndexedFromKey, receiptsKey, U64_BYTES } from './keys.ts'
import {
  encodeBody,
  encodeLabels,
  encodeStoredReceipts,
  type LabelHashes,
  type StoredReceipt,
  type TransactionLocation,
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
  readonly memory: readonly MemoryUse[]
}

export interface ChainStoreOptions {
  readonly genesis: SealedHeader
  /** Blocks and receipts kept decoded. */
  readonly cachedBlocks: number
}

/** The genesis block must be in the store. Throws ExecutionError `execution/corrupt-record`. */
export function openChainStore(store: KeyValueStore, options: ChainStoreOptions): ChainStore {
  const { genesis } = options
  const caches = createChainCaches(options.cachedBlocks)
  let labels = readLabels(store, caches, genesis)
  const indexedFrom = readLogsIndexedFrom(store)
  const logsIndexedFrom = indexedFrom ?? labels.unsafe.header.number + 1
  let indexMarked = indexedFrom !== null
  const reader = createChainReader(store, { caches, genesis, labels: () => labels, logsIndexedFrom })
  const sealed = (hash: Hash, what: string) => getSealed(store, caches, hash, what)

  return {
    ...reader,
    memory: chainMemory(caches),
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
          caches.headers.set(hash, imported.header)
          caches.blocks.set(hash, imported)
          caches.receipts.set(hash, receipts)
        },
      }
    },
    pruneOps(hash) {
      const pruned = reader.header(hash)
      if (pruned === null || reader.canonicalHash(pruned.number) === hash) return []
      caches.headers.delete(hash)
      caches.blocks.delete(hash)
      caches.receipts.delete(hash)
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
