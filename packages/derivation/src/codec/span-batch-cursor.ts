/** The transactions and blocks of a scanned span batch, decoded one at a time on demand. */
import { TX_LEGACY } from '@keelson/primitives'
import { countPackedBits, packedBitAt } from './bitlist.ts'
import { ByteReader } from './byte-reader.ts'
import { clampToNumber } from './clamp.ts'
import type { Scan } from './scan.ts'
import type { SpanBatch, SpanBatchBlock, SpanBatchChain } from './span-batch.ts'
import type { SpanBatchLayout, SpanBatchTxsLayout } from './span-batch-layout.ts'
import { joinTransaction } from './span-batch-tx.ts'
import { readTxData, typeOf } from './span-batch-txs.ts'

/** Transactions that one step decodes to validate them. */
const CHECKED_PER_STEP = 4_096
/**
 * Limit on the size of a span's transaction data, in bytes, up to which decoded transactions are kept in memory. Those
 * of a larger span are decoded again when its blocks are read.
 */
const MAX_KEPT_BYTES = 1 << 24

/** Decodes the transactions on every iteration. Throws CodecError when the fields of one do not form a transaction. */
export function* transactionsOf(txs: SpanBatchTxsLayout, chainId: bigint): Generator<Uint8Array> {
  const read = (section: Uint8Array) => new ByteReader(section, 'codec/batch')
  const [signatures, tos, datas, nonces, gases] = [txs.signatures, txs.tos, txs.datas, txs.nonces, txs.gases].map(read) as [
    ByteReader,
    ByteReader,
    ByteReader,
    ByteReader,
    ByteReader,
  ]
  let legacy = 0
  for (let i = 0; i < txs.count; i++) {
    const data = readTxData(datas)
    const type = typeOf(data)
    const split = {
      type,
      to: packedBitAt(txs.contractCreationBits, i) === 1 ? null : tos.bytes(20, 'to'),
      nonce: nonces.uvarint('nonce'),
      gasLimit: gases.uvarint('gas limit'),
      yParity: packedBitAt(txs.yParityBits, i),
      isProtected: type === TX_LEGACY && packedBitAt(txs.protectedBits, legacy++) === 1,
      r: signatures.bytes(32, 'signature'),
      s: signatures.bytes(32, 'signature'),
      data,
    }
    yield joinTransaction(split, chainId)
  }
}

/**
 * Decodes every transaction once, in steps. Throws CodecError when the fields of one do not form a transaction, so that
 * an invalid span is rejected before any of its blocks is used.
 */
export function* openSpanBatch(layout: SpanBatchLayout, chain: SpanBatchChain): Scan<SpanBatch> {
  const kept: Uint8Array[] | null = layout.txs.bytes.length <= MAX_KEPT_BYTES ? [] : null
  let checked = 0
  for (const transaction of transactionsOf(layout.txs, chain.chainId)) {
    kept?.push(transaction)
    if (++checked % CHECKED_PER_STEP === 0) yield
  }
  const transactions = kept ?? { [Symbol.iterator]: () => transactionsOf(layout.txs, chain.chainId) }
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
    blocks: { [Symbol.iterator]: () => blocksOf(layout, chain, moves, transactions) },
  }
}

function* blocksOf(layout: SpanBatchLayout, chain: SpanBatchChain, moves: number, all: Iterable<Uint8Array>): Generator<SpanBatchBlock> {
  const place = placesOf(layout, chain)
  const counts = new ByteReader(layout.blockTxCounts, 'codec/batch')
  const rest = all[Symbol.iterator]()
  let movesAfter = moves
  for (let i = 0; i < layout.blockCount; i++) {
    if (i > 0) movesAfter -= packedBitAt(layout.originBits, i)
    const transactions: Uint8Array[] = []
    for (let left = counts.uvarintNumber('transaction count'); left > 0; left--) transactions.push(rest.next().value as Uint8Array)
    yield { ...place(i, movesAfter), transactions }
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
