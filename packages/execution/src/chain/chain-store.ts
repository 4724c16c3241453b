/**
 * Three atomic writes: batch A (`stageBlock`, with the state layer) before a block is reported valid, batch B (state-keeper.ts)
 * flattens state, batch C (`setForkchoice`) selects the chain.
 */

import { type Block, bigintToBytes, encodeHeader, type Hash, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import type { MemoryUse } from '../memory-use.ts'
import {
  type ChainReader,
  chainMemory,
  createChainCaches,
  createChainReader,
  getSealed,
  readLabels,
  readLogsIndexedFrom,
  type SealedHeader,
} from './chain-reader.ts'
import { planForkchoice } from './forkchoice-plan.ts'
import { blockAtKey, bodyKey, headerKey, labelsKey, logsIndexedFromKey, receiptsKey, U64_BYTES } from './keys.ts'
import { encodeBody, encodeLabels, encodeStoredReceipts, type LabelHashes, type StoredReceipt } from './records.ts'

export interface ChainMove {
  readonly head: SealedHeader
  readonly safe: SealedHeader
  readonly finalized: SealedHeader
  readonly removed: readonly Block[]
  readonly added: readonly Block[]
}

export interface ChainStore extends ChainReader {
  /** Part of batch A; call `publish` after the write. */
  stageBlock(block: Block, receipts: readonly StoredReceipt[]): { readonly ops: readonly KeyValueOp[]; publish(): void }
  pruneOps(hash: Hash): KeyValueOp[]
  /** Batch C. A zero hash keeps the safe or finalized block; a reorg below that block lowers it to the common ancestor. */
  setForkchoice(state: LabelHashes, options?: { readonly sync?: boolean }): Promise<ChainMove>
  /**
   * Moves the head to a stored block whose ancestors are canonical already, and no label stays above it. `write` takes the labels
   * into its own batch.
   */
  adopt(head: Hash, write: (ops: readonly KeyValueOp[]) => Promise<void>): Promise<ChainMove>
  readonly memory: readonly MemoryUse[]
}

export interface ChainStoreOptions {
  readonly genesis: SealedHeader
  readonly cachedBlocks: number
}

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
    async adopt(hash, write) {
      const head = sealed(hash, 'head')
      const clamp = (one: SealedHeader) => (one.header.number > head.header.number ? head : one)
      const [safe, finalized] = [clamp(labels.safe), clamp(labels.finalized)]
      await write([{ put: labelsKey(), value: encodeLabels({ head: hash, safe: safe.hash, finalized: finalized.hash }) }])
      labels = { unsafe: head, safe, finalized }
      return { head, safe, finalized, removed: [], added: [] }
    },
  }
}
