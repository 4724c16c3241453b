/**
 * A few kilobytes can declare ten million blocks, so the scan runs in steps without an object per block.
 * protocol/delta/span-batches.md#span-batch-format
 */
import { TX_LEGACY } from '@keelson/primitives'
import { ByteReader } from '../bytes/byte-reader.ts'
import type { Scan } from '../bytes/scan.ts'
import { countPackedBits, readPackedBits } from './bitlist.ts'
import { readTxData, typeOf } from './span-batch-txs.ts'

export const CHECK_BYTES = 20
export const SIGNATURE_BYTES = 64
export const ADDRESS_BYTES = 20

export interface SpanBatchLayout {
  /** Seconds since L2 genesis. */
  readonly relTimestampSec: bigint
  readonly l1OriginNumber: bigint
  readonly parentCheck: Uint8Array
  readonly l1OriginCheck: Uint8Array
  readonly blockCount: number
  readonly originBits: Uint8Array
  readonly blockTxCounts: Uint8Array
  readonly txs: SpanBatchTxsLayout
  readonly end: number
}

export interface SpanBatchTxsLayout {
  readonly count: number
  readonly contractCreationBits: Uint8Array
  readonly yParityBits: Uint8Array
  readonly signatures: Uint8Array
  readonly tos: Uint8Array
  readonly datas: Uint8Array
  readonly nonces: Uint8Array
  readonly gases: Uint8Array
  readonly protectedBits: Uint8Array
  readonly bytes: Uint8Array
}

export const SCANNED_PER_STEP = 65_536

/** `content` excludes the version byte. Throws CodecError. */
export function* scanSpanBatch(content: Uint8Array, maxElements: number): Scan<SpanBatchLayout> {
  const reader = new ByteReader(content, 'codec/batch')
  const relTimestampSec = reader.uvarint('relative timestamp')
  const l1OriginNumber = reader.uvarint('L1 origin number')
  const parentCheck = reader.bytes(CHECK_BYTES, 'parent check')
  const l1OriginCheck = reader.bytes(CHECK_BYTES, 'L1 origin check')
  const blockCount = readCount(reader, 'block count', maxElements)
  if (blockCount === 0) reader.fail('a span batch must hold at least one block')
  const originBits = readPackedBits(reader, blockCount, 'origin bits')
  let total = 0
  const blockTxCounts = yield* section(reader, blockCount, () => {
    total += readCount(reader, 'transaction count', maxElements)
  })
  if (total > maxElements) reader.fail(`${total} transactions in a span batch, at most ${maxElements}`)
  const txs = yield* scanSpanBatchTxs(reader, total)
  const prefix = { relTimestampSec, l1OriginNumber, parentCheck, l1OriginCheck }
  return { ...prefix, blockCount, originBits, blockTxCounts, txs, end: reader.offset }
}

export function* scanSpanBatchTxs(reader: ByteReader, count: number): Scan<SpanBatchTxsLayout> {
  const rest = reader.rest()
  const start = reader.offset
  const contractCreationBits = readPackedBits(reader, count, 'contract creation bits')
  const yParityBits = readPackedBits(reader, count, 'y parity bits')
  const signatures = reader.bytes(SIGNATURE_BYTES * count, 'signatures')
  const tos = reader.bytes(ADDRESS_BYTES * (count - countPackedBits(contractCreationBits)), 'to')
  let legacy = 0
  const datas = yield* section(reader, count, () => {
    if (typeOf(readTxData(reader)) === TX_LEGACY) legacy++
  })
  const nonces = yield* section(reader, count, () => reader.skipUvarint('nonce'))
  const gases = yield* section(reader, count, () => reader.skipUvarint('gas limit'))
  const protectedBits = readPackedBits(reader, legacy, 'protected bits')
  const bytes = rest.subarray(0, reader.offset - start)
  return { count, contractCreationBits, yParityBits, signatures, tos, datas, nonces, gases, protectedBits, bytes }
}

function* section(reader: ByteReader, count: number, read: () => void): Scan<Uint8Array> {
  const rest = reader.rest()
  const start = reader.offset
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % SCANNED_PER_STEP === 0) yield
    read()
  }
  return rest.subarray(0, reader.offset - start)
}

function readCount(reader: ByteReader, what: string, maxElements: number): number {
  const count = reader.uvarintNumber(what)
  if (count > maxElements) reader.fail(`span batch ${what} ${count}, at most ${maxElements}`)
  return count
}
