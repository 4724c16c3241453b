/** protocol/derivation.md#l1-retrieval, ecotone/derivation.md#ecotone-blob-retrieval */
import {
  type Address,
  bytesToHex,
  CodecError,
  type ErrorDetails,
  equalBytes,
  type Hash,
  hexToBytes,
  isPostExec,
  type L1BlockRef,
  recoverSender,
  type Transaction,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  TX_LEGACY,
  toHash,
} from '@keelson/primitives'
import { decodeBlob } from '../codec/blob.ts'
import { DerivationError } from '../errors.ts'
import type { DropReason } from '../observer.ts'
import type { BlobReader, L1Reader, SenderRecovery } from '../ports.ts'
import type { L1Traversal } from './l1-traversal.ts'
import { ORIGIN_EXHAUSTED, type Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

const BATCHER_TX_TYPES: ReadonlySet<number> = new Set([TX_LEGACY, TX_ACCESS_LIST, TX_FEE_MARKET, TX_BLOB, TX_DEPOSIT])

export interface L1Retrieval extends Stage<Uint8Array> {
  reset(): void
}

export interface L1RetrievalDependencies {
  readonly l1: Pick<L1Reader, 'transactions'>
  readonly blobs: BlobReader
  readonly crypto: SenderRecovery
}

type Drop = (reason: DropReason, details: ErrorDetails) => void
type Source = { readonly calldata: Uint8Array } | { readonly blobs: readonly Hash[] }

export function createL1Retrieval(context: StageContext, traversal: L1Traversal, deps: L1RetrievalDependencies): L1Retrieval {
  const inbox = hexToBytes(context.config.batchInbox)
  let queue: Uint8Array[] = []

  function senderOf(tx: Transaction): Address | null {
    const sender = recoverSender(tx, deps.crypto)
    return sender === null ? null : (bytesToHex(sender) as Address)
  }

  function sourceOf(tx: Transaction, drop: Drop): Source | null {
    if (isPostExec(tx) || tx.to === null || !equalBytes(tx.to, inbox)) return null
    if (!BATCHER_TX_TYPES.has(tx.type)) {
      drop('batcher-tx-type-unsupported', { transaction: tx.hash, type: tx.type })
      return null
    }
    if (senderOf(tx) !== traversal.systemConfig.batcherAddress) {
      drop('batcher-tx-wrong-sender', { transaction: tx.hash })
      return null
    }
    if (tx.type !== TX_BLOB || !context.rules.blobs) return { calldata: tx.data }
    if (tx.data.length > 0) drop('blob-tx-calldata', { transaction: tx.hash, bytes: tx.data.length })
    return { blobs: tx.blobVersionedHashes.map((hash) => toHash(hash)) }
  }

  async function load(block: L1BlockRef): Promise<Uint8Array[]> {
    const transactions = await deps.l1.transactions(block.hash)
    if (transactions === null) {
      throw new DerivationError('derivation/l1-reorg', 'reset', `L1 no longer knows block ${block.number} (${block.hash}); rewinding`, {
        number: block.number,
        hash: block.hash,
      })
    }
    // Reported after the blobs arrive: a block with missing blobs is read again.
    const drops: Parameters<Drop>[] = []
    const sources = transactions.map((tx) => sourceOf(tx, (...drop) => drops.push(drop))).filter((source) => source !== null)
    const hashes = sources.flatMap((source) => ('blobs' in source ? [...source.blobs] : []))
    const blobs = hashes.length === 0 ? [] : await deps.blobs.blobs(block, hashes)
    if (blobs.length !== hashes.length) {
      throw new DerivationError('derivation/internal', 'critical', `asked for ${hashes.length} blobs, got ${blobs.length}`)
    }
    for (const [reason, details] of drops) context.drop('l1-retrieval', reason, details)
    let nextBlob = 0
    return sources.flatMap((source) =>
      'calldata' in source ? [source.calldata] : source.blobs.flatMap((hash) => blobData(blobs[nextBlob++] as Uint8Array, hash)),
    )
  }

  function blobData(blob: Uint8Array, hash: Hash): Uint8Array[] {
    try {
      return [decodeBlob(blob)]
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      context.drop('l1-retrieval', 'blob-malformed', { versionedHash: hash, message: error.message })
      return []
    }
  }

  return {
    async pull() {
      if (traversal.unread !== null) {
        queue = await load(traversal.unread)
        traversal.markRead()
      }
      const item = queue.shift()
      return item === undefined ? ORIGIN_EXHAUSTED : { kind: 'item', item }
    },
    reset() {
      queue = []
    },
  }
}
