import type { BatchTransactions } from '../batch/batch-transactions.ts'
import { ByteReader } from '../bytes/byte-reader.ts'
import { clampToNumber } from '../bytes/clamp.ts'
import type { Scan } from '../bytes/scan.ts'
import { countPackedBits, packedBitAt } from './bitlist.ts'
import type { SpanBatchLayout } from './span-batch-layout.ts'
import { SpanTransactionCursor } from './span-transaction-cursor.ts'

export interface SpanBatchPlace {
  readonly timestampSec: number
  readonly epochNumber: number
}

export interface SpanBatchBlock extends SpanBatchPlace {
  readonly transactions: BatchTransactions
}

export interface SpanBatch {
  readonly parentCheck: Uint8Array
  readonly l1OriginCheck: Uint8Array
  readonly blockCount: number
  readonly transactionCount: number
  readonly first: SpanBatchPlace
  readonly last: SpanBatchPlace
  /** Do not collect the blocks: a span may hold millions. */
  readonly blocks: Iterable<SpanBatchBlock>
}

export interface SpanBatchChain {
  readonly genesisTimestampSec: number
  readonly blockTimeSec: number
  readonly chainId: bigint
}

const CHECKED_PER_STEP = 4_096
/** Larger spans are decoded again when their blocks are read. */
const MAX_KEPT_BYTES = 1 << 24
const MAX_DECODED = 4_096

/** Decodes every transaction once, so that no block of an invalid span is used. Throws CodecError. */
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
  // The first bit only tells whether the first block starts an epoch, so it does not count.
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
 * A span has only its last block's origin, so count origin changes backwards. Both values wrap at 64 bits, as in op-node
 * (span_batch.go, `derive`); the batch rules check them.
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
