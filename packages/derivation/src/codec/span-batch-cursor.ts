/** The transactions and blocks of a scanned span batch, decoded one at a time on demand. */
import type { BatchTransactions } from './batch-transactions.ts'
import { countPackedBits, packedBitAt } from './bitlist.ts'
import { ByteReader } from './byte-reader.ts'
import { clampToNumber } from './clamp.ts'
import type { Scan } from './scan.ts'
import type { SpanBatch, SpanBatchBlock, SpanBatchChain } from './span-batch.ts'
import type { SpanBatchLayout } from './span-batch-layout.ts'
import { SpanTransactionCursor } from './span-transaction-cursor.ts'

/** Transactions that one step decodes to validate them. */
const CHECKED_PER_STEP = 4_096
/**
 * Limit on the size of a span's transaction data, in bytes, up to which decoded transactions are kept in memory. Those
 * of a larger span are decoded again when its blocks are read.
 */
const MAX_KEPT_BYTES = 1 << 24
/** The transactions of a block with more than this are decoded on every iteration: one block can declare a million. */
const MAX_DECODED = 4_096

/**
 * Decodes every transaction once, in steps. Throws CodecError when the fields of one do not form a transaction, so that
 * an invalid span is rejected before any of its blocks is used.
 */
export function* openSpanBatch(layout: SpanBatchLayout, chain: SpanBatchChain): Scan<SpanBatch> {
  const kept: Uint8Array[] | null = layout.txs.bytes.length <= MAX_KEPT_BYTES ? [] : null
  const cursor = new SpanTransactionCursor(layout.txs, chain.chainId)
  for (let checked = 1; checked <= layout.txs.count; checked++) {
    const transaction = cursor.next()
    kept?.push(transaction)
    if (checked % CHECKED_PER_STEP === 0) yield
  }
  const take = () => (kept === null ? takeDecoded(new SpanTransactionCursor(layout.txs, chain.chainId)) : takeKept(kept))
  const { blockCount, parentCheck, l1OriginCheck } = layout
  const place = placesOf(layout, chain)
  // the first bit says that the first block begins an epoch; it moves the origin of no block within the span
  const moves = countPackedBits(layout.originBits) - packedBitAt(layout.originBits, 0)
  return {
    parentCheck,
    l1OriginCheck,
    blockCount,
    transactionCount: layout.txs.count,
    first: place(0, moves),
    last: place(blockCount - 1, 0),
    blocks: { [Symbol.iterator]: () => blocksOf(layout, chain, moves, take()) },
  }
}

/** The next `count` transactions. */
type Take = (count: number) => BatchTransactions

function takeKept(kept: readonly Uint8Array[]): Take {
  let at = 0
  return (count) => {
    at += count
    return kept.slice(at - count, at)
  }
}

function takeDecoded(cursor: SpanTransactionCursor): Take {
  return (count) => {
    if (count <= MAX_DECODED) return Array.from({ length: count }, () => cursor.next())
    const begin = cursor.copy()
    cursor.skip(count)
    return {
      length: count,
      leadingBytes: { [Symbol.iterator]: () => begin.copy().leadingBytes(count) },
      [Symbol.iterator]: () => begin.copy().take(count),
    }
  }
}

function* blocksOf(layout: SpanBatchLayout, chain: SpanBatchChain, moves: number, take: Take): Generator<SpanBatchBlock> {
  const place = placesOf(layout, chain)
  const counts = new ByteReader(layout.blockTxCounts, 'codec/batch')
  let movesAfter = moves
  for (let i = 0; i < layout.blockCount; i++) {
    if (i > 0) movesAfter -= packedBitAt(layout.originBits, i)
    yield { ...place(i, movesAfter), transactions: take(counts.uvarintNumber('transaction count')) }
  }
}

/**
 * Returns the time and L1 origin of a block from its index and the number of origins that begin after it. Both are
 * unsigned 64-bit values and wrap, as in op-node (span_batch.go, `derive`): the batch rules check the wrapped number.
 */
function placesOf({ relTimestampSec, l1OriginNumber }: SpanBatchLayout, chain: SpanBatchChain) {
  const start = BigInt(chain.genesisTimestampSec) + relTimestampSec
  return (index: number, movesAfter: number) => ({
    timestampSec: wrapToNumber(start + BigInt(chain.blockTimeSec) * BigInt(index)),
    epochNumber: wrapToNumber(l1OriginNumber - BigInt(movesAfter)),
  })
}

function wrapToNumber(value: bigint): number {
  return clampToNumber(BigInt.asUintN(64, value))
}
