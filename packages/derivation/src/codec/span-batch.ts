/** Batch version 1: a run of consecutive L2 blocks. protocol/delta/span-batches.md */
import { CodecError, type Hash, hexToBytes } from '@keelson/primitives'
import { type Bits, encodeBitlist, readBitlist } from './bitlist.ts'
import { ByteReader } from './byte-reader.ts'
import { clampToNumber } from './clamp.ts'
import { concatList } from './concat-list.ts'
import type { SingularBatch } from './singular-batch.ts'
import { encodeSpanBatchTxs, joinSpanBatchTxs, readSpanBatchTxs, type SpanBatchTxs, splitSpanBatchTxs } from './span-batch-txs.ts'
import { encodeUvarint } from './uvarint.ts'

const CHECK_BYTES = 20

/** As on the wire. */
export interface RawSpanBatch {
  /** Seconds from L2 genesis to the first block. */
  readonly relTimestampSec: bigint
  /** L1 origin of the last block. */
  readonly l1OriginNumber: bigint
  /** First 20 bytes of the first block's parent hash, and of the last block's L1 origin hash. */
  readonly parentCheck: Uint8Array
  readonly l1OriginCheck: Uint8Array
  /** One per block: did its L1 origin differ from that of the block before? */
  readonly originBits: Bits
  readonly blockTxCounts: readonly number[]
  readonly txs: SpanBatchTxs
}

export interface SpanBatchBlock {
  readonly timestampSec: number
  readonly epochNumber: number
  /** User transactions only. */
  readonly transactions: readonly Uint8Array[]
}

/** What it stands for; at least one block. */
export interface SpanBatch {
  readonly parentCheck: Uint8Array
  readonly l1OriginCheck: Uint8Array
  readonly blocks: readonly SpanBatchBlock[]
}

/** What of the rollup's configuration a span batch leaves out. */
export interface SpanBatchChain {
  readonly genesisTimestampSec: number
  readonly blockTimeSec: number
  readonly chainId: bigint
}

/** Without the version byte. */
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

/** Without the version byte; bytes after the batch are ignored. Throws CodecError (`codec/batch` or `codec/rlp`). */
export function decodeSpanBatch(content: Uint8Array, maxElements: number): RawSpanBatch {
  return readSpanBatch(content, maxElements).batch
}

/** `end`: where the bytes begin that are ignored. Throws like `decodeSpanBatch`. */
export function readSpanBatch(content: Uint8Array, maxElements: number): { readonly batch: RawSpanBatch; readonly end: number } {
  const reader = new ByteReader(content, 'codec/batch')
  const relTimestampSec = reader.uvarint('relative timestamp')
  const l1OriginNumber = reader.uvarint('L1 origin number')
  const parentCheck = reader.bytes(CHECK_BYTES, 'parent check')
  const l1OriginCheck = reader.bytes(CHECK_BYTES, 'L1 origin check')
  const blockCount = readCount(reader, 'block count', maxElements)
  if (blockCount === 0) reader.fail('a span batch must hold at least one block')
  const originBits = readBitlist(reader, blockCount, 'origin bits')
  const blockTxCounts: number[] = []
  let total = 0
  for (let i = 0; i < blockCount; i++) {
    const count = readCount(reader, 'transaction count', maxElements)
    blockTxCounts.push(count)
    total += count
  }
  if (total > maxElements) reader.fail(`${total} transactions in a span batch, at most ${maxElements}`)
  const txs = readSpanBatchTxs(reader, total)
  const batch = { relTimestampSec, l1OriginNumber, parentCheck, l1OriginCheck, originBits, blockTxCounts, txs }
  return { batch, end: reader.offset }
}

function readCount(reader: ByteReader, what: string, maxElements: number): number {
  const count = reader.uvarint(what)
  if (count > BigInt(maxElements)) reader.fail(`span batch ${what} ${count}, at most ${maxElements}`)
  return Number(count)
}

/**
 * Throws CodecError when the parts of a transaction do not make one. Times and L1 origin numbers are 64-bit unsigned
 * and wrap, as in op-node (span_batch.go, `derive`): a sum past 2^64 is judged as the small number it has become.
 */
export function deriveSpanBatch(raw: RawSpanBatch, chain: SpanBatchChain): SpanBatch {
  const transactions = joinSpanBatchTxs(raw.txs, chain.chainId)
  const epochs = epochNumbers(raw)
  const start = BigInt(chain.genesisTimestampSec) + raw.relTimestampSec
  let next = 0
  const blocks = raw.blockTxCounts.map((count, i) => {
    const from = next
    next += count
    return {
      timestampSec: wrapToNumber(start + BigInt(chain.blockTimeSec) * BigInt(i)),
      epochNumber: wrapToNumber(epochs[i] as bigint),
      transactions: transactions.slice(from, next),
    }
  })
  return { parentCheck: raw.parentCheck, l1OriginCheck: raw.l1OriginCheck, blocks }
}

function epochNumbers(raw: RawSpanBatch): bigint[] {
  const epochs: bigint[] = new Array(raw.originBits.length)
  let epoch = raw.l1OriginNumber
  for (let i = raw.originBits.length - 1; i >= 0; i--) {
    epochs[i] = epoch
    if (raw.originBits[i] === 1 && i > 0) epoch--
  }
  return epochs
}

function wrapToNumber(value: bigint): number {
  return clampToNumber(BigInt.asUintN(64, value))
}

/** A block to be batched: a singular batch and its place in its epoch. */
export interface SpanBatchInput extends SingularBatch {
  readonly sequenceNumber: number
}

/** Throws CodecError when the blocks are none, do not follow one another, or hold a transaction that cannot be batched. */
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
