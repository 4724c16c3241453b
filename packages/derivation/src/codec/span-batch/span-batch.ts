/** Batch version 1. protocol/delta/span-batches.md */

import { CodecError, type Hash, hexToBytes } from '@keelson/primitives'
import type { SingularBatch } from '../batch/singular-batch.ts'
import { ByteReader } from '../bytes/byte-reader.ts'
import { concatList } from '../bytes/concat-list.ts'
import { runScan } from '../bytes/scan.ts'
import { encodeUvarint } from '../bytes/uvarint.ts'
import { type Bits, encodeBitlist, readBitlist } from './bitlist.ts'
import { openSpanBatch, type SpanBatch, type SpanBatchChain } from './span-batch-cursor.ts'
import { CHECK_BYTES, type SpanBatchLayout, scanSpanBatch } from './span-batch-layout.ts'
import { encodeSpanBatchTxs, readSpanBatchTxs, type SpanBatchTxs, splitSpanBatchTxs } from './span-batch-txs.ts'

export interface RawSpanBatch {
  /** Seconds since L2 genesis. */
  readonly relTimestampSec: bigint
  /** Origin of the last block; `originBits` gives the others. */
  readonly l1OriginNumber: bigint
  /** First 20 bytes of the first block's parent hash and of the last block's origin hash. */
  readonly parentCheck: Uint8Array
  readonly l1OriginCheck: Uint8Array
  readonly originBits: Bits
  readonly blockTxCounts: readonly number[]
  readonly txs: SpanBatchTxs
}

export function encodeSpanBatch(batch: RawSpanBatch): Uint8Array {
  return concatList([
    encodeUvarint(batch.relTimestampSec),
    encodeUvarint(batch.l1OriginNumber),
    batch.parentCheck,
    batch.l1OriginCheck,
    encodeUvarint(batch.blockTxCounts.length),
    encodeBitlist(batch.originBits),
    ...batch.blockTxCounts.map(encodeUvarint),
    encodeSpanBatchTxs(batch.txs),
  ])
}

/** Ignores bytes after the batch. Throws CodecError. */
export function decodeSpanBatch(content: Uint8Array, maxElements: number): RawSpanBatch {
  return unpackSpanBatch(runScan(scanSpanBatch(content, maxElements)))
}

/** Only for tools and tests: a small channel can hold millions of blocks. */
export function unpackSpanBatch(layout: SpanBatchLayout): RawSpanBatch {
  const { relTimestampSec, l1OriginNumber, parentCheck, l1OriginCheck, blockCount, txs } = layout
  const reader = (section: Uint8Array) => new ByteReader(section, 'codec/batch')
  const counts = reader(layout.blockTxCounts)
  return {
    relTimestampSec,
    l1OriginNumber,
    parentCheck,
    l1OriginCheck,
    originBits: readBitlist(reader(layout.originBits), blockCount, 'origin bits'),
    blockTxCounts: Array.from({ length: blockCount }, () => counts.uvarintNumber('transaction count')),
    txs: readSpanBatchTxs(reader(txs.bytes), txs.count),
  }
}

/** Throws CodecError when the fields form no transaction. */
export function deriveSpanBatch(raw: RawSpanBatch, chain: SpanBatchChain): SpanBatch {
  const layout = runScan(scanSpanBatch(encodeSpanBatch(raw), Number.POSITIVE_INFINITY))
  return runScan(openSpanBatch(layout, chain))
}

export interface SpanBatchInput extends SingularBatch {
  readonly sequenceNumber: number
}

/** Throws CodecError for an empty list, gaps in time, or a transaction that a span batch cannot hold. */
export function createSpanBatch(inputs: readonly SpanBatchInput[], chain: SpanBatchChain): RawSpanBatch {
  const first = inputs[0]
  const last = inputs[inputs.length - 1]
  if (first === undefined || last === undefined) throw new CodecError('codec/batch', 'a span batch must hold at least one block')
  inputs.forEach((input, i) => {
    const expected = first.timestampSec + i * chain.blockTimeSec
    if (input.timestampSec !== expected) {
      throw new CodecError('codec/batch', `block ${i} of the span: expected time ${expected}, got ${input.timestampSec}`)
    }
  })
  return {
    relTimestampSec: BigInt(first.timestampSec - chain.genesisTimestampSec),
    l1OriginNumber: BigInt(last.epoch.number),
    parentCheck: checkOf(first.parentHash),
    l1OriginCheck: checkOf(last.epoch.hash),
    originBits: Uint8Array.from(inputs, (input, i) => {
      const before = inputs[i - 1]
      const changed = before === undefined ? input.sequenceNumber === 0 : input.epoch.number > before.epoch.number
      return changed ? 1 : 0
    }),
    blockTxCounts: inputs.map((input) => input.transactions.length),
    txs: splitSpanBatchTxs(
      inputs.flatMap((input) => [...input.transactions]),
      chain.chainId,
    ),
  }
}

export function checkOf(hash: Hash): Uint8Array {
  return hexToBytes(hash).subarray(0, CHECK_BYTES)
}
