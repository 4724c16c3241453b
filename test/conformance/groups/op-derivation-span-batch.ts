import assert from 'node:assert/strict'
import {
  type Bits,
  ByteReader,
  checkOf,
  countBits,
  createSpanBatch,
  decodeSingularBatch,
  decodeSpanBatch,
  deriveSpanBatch,
  encodeBitlist,
  encodeSpanBatch,
  encodeSpanBatchTxs,
  encodeUvarint,
  readBitlist,
  readSignatures,
  readSpanBatchTxs,
  readTos,
  readTxDatas,
  readUvarints,
  runScan,
  SpanTransactionCursor,
  scanSpanBatchTxs,
  splitSpanBatchTxs,
  vOf,
} from '@keelson/derivation/codec'
import { bytesToHex, concatBytes, hexToBytes, padLeft, rlpBigint, rlpDecode, rlpList } from '@keelson/primitives'
import type { ConformanceCase } from '../group.ts'

const MAX_ELEMENTS = 10_000_000
const SPAN_BATCH_VERSION = 1

export interface SpanFieldVector {
  readonly name: string
  readonly totalBlockTxCount?: number
  readonly totalLegacyTxCount?: number
  readonly expectedContractCreationCount?: number
  readonly contractCreationBits?: string
  readonly data?: string
  readonly chainId?: number
  readonly txs?: readonly string[]
  readonly txType?: number
  readonly expectedV?: readonly number[]
  readonly sigsRS?: string
  readonly yParityBits?: string
  readonly protectedBits?: string
}

function given<T>(value: T | undefined, what: string): T {
  assert.ok(value !== undefined, `the vector has no ${what}`)
  return value
}

const reader = (hex: string) => new ByteReader(hexToBytes(hex), 'codec/batch')
/** Some vectors omit leading zero bytes. */
const bits = (hex: string, length: number): Bits =>
  readBitlist(new ByteReader(padLeft(hexToBytes(hex), (length + 7) >> 3), 'codec/batch'), length, 'bits')

function roundTrip(vector: SpanFieldVector, decode: (r: ByteReader, count: number) => Uint8Array): void {
  const data = given(vector.data, 'data')
  const r = reader(data)
  const written = decode(r, vector.totalBlockTxCount ?? given(vector.totalLegacyTxCount, 'count'))
  r.expectEnd(vector.name)
  assert.equal(bytesToHex(written), data)
}

function recoverV(vector: SpanFieldVector): void {
  const count = given(vector.totalBlockTxCount, 'count')
  const type = given(vector.txType, 'txType')
  const chainId = BigInt(given(vector.chainId, 'chainId'))
  const yParity = bits(given(vector.yParityBits, 'yParityBits'), count)
  const isProtected = bits(given(vector.protectedBits, 'protectedBits'), vector.totalLegacyTxCount ?? 0)
  const r = reader(given(vector.sigsRS, 'sigsRS'))
  assert.equal(readSignatures(r, count).length, count)
  r.expectEnd('signatures')
  const values = Array.from({ length: count }, (_, i) =>
    vOf({ type, yParity: yParity[i] as number, isProtected: isProtected[i] === 1 }, chainId),
  )
  assert.deepEqual(values, given(vector.expectedV, 'expectedV').map(BigInt))
}

function splitAndJoin(vector: SpanFieldVector): void {
  const chainId = BigInt(given(vector.chainId, 'chainId'))
  const raws = given(vector.txs, 'txs')
  assert.ok(raws.length > 0)
  const split = splitSpanBatchTxs(raws.map(hexToBytes), chainId)
  const layout = runScan(scanSpanBatchTxs(new ByteReader(encodeSpanBatchTxs(split), 'codec/batch'), raws.length))
  assert.deepEqual([...new SpanTransactionCursor(layout, chainId).take(layout.count)].map(bytesToHex), raws)
}

function signaturesRoundTrip(vector: SpanFieldVector): void {
  roundTrip(vector, (r, count) => concatBytes(...readSignatures(r, count)))
}

const FIELD_CHECKS: Readonly<Record<string, (vector: SpanFieldVector) => void>> = {
  decodeAndEncode: (v) => roundTrip(v, (r, count) => encodeSpanBatchTxs(readSpanBatchTxs(r, count))),
  decodeAndEncodeContractCreationBits: (v) =>
    roundTrip(v, (r, count) => {
      const list = readBitlist(r, count, 'bits')
      assert.equal(countBits(list), v.expectedContractCreationCount)
      return encodeBitlist(list)
    }),
  decodeAndEncodeProtectedBits: (v) => roundTrip(v, (r, count) => encodeBitlist(readBitlist(r, count, 'bits'))),
  decodeAndEncodeTxDatas: (v) => roundTrip(v, (r, count) => concatBytes(...readTxDatas(r, count))),
  decodeAndEncodeTxGases: (v) => roundTrip(v, (r, count) => concatBytes(...readUvarints(r, count, 'gas').map(encodeUvarint))),
  decodeAndEncodeTxNonces: (v) => roundTrip(v, (r, count) => concatBytes(...readUvarints(r, count, 'nonce').map(encodeUvarint))),
  decodeAndEncodeTxTos: (v) =>
    roundTrip(v, (r, count) => concatBytes(...readTos(r, bits(given(v.contractCreationBits, 'contractCreationBits'), count)))),
  decodeAndEncodeTxSigs: signaturesRoundTrip,
  decodeAndEncodeTxSigsRS: signaturesRoundTrip,
  fullTxDynamic: splitAndJoin,
  fullTxLegacy: splitAndJoin,
  fullTxUnprotected: splitAndJoin,
  recoveryVE1559: recoverV,
  recoveryVLegacy: recoverV,
}

export function spanFieldCase(id: string, vector: SpanFieldVector): ConformanceCase {
  return {
    id,
    run() {
      const check = FIELD_CHECKS[vector.name]
      assert.ok(check, `no check for ${vector.name}`)
      check(vector)
    },
  }
}

/** Chain ID that the vector omits. */
const SINGULAR_CHAIN_ID = 589n
/** The vector's epochs are 64-bit numbers that no chain reaches. */
const FIRST_EPOCH = 1000

export function singularToSpanCase(
  id: string,
  vector: { readonly l2BlockTime: number; readonly batches: readonly string[] },
): ConformanceCase {
  return {
    id,
    run() {
      const contents = vector.batches.map(hexToBytes)
      const epochs = contents.map((content) => rlpBigint(rlpList(rlpDecode(content), 'batch')[1], 'epoch'))
      const singular = contents.map(decodeSingularBatch).map((batch, i) => ({
        ...batch,
        epoch: { ...batch.epoch, number: FIRST_EPOCH + Number((epochs[i] as bigint) - (epochs[0] as bigint)) },
        sequenceNumber: i === 0 ? 0 : 1,
      }))
      const first = given(singular[0], 'first batch')
      const last = given(singular[singular.length - 1], 'last batch')
      const chain = { genesisTimestampSec: first.timestampSec - 1000, blockTimeSec: vector.l2BlockTime, chainId: SINGULAR_CHAIN_ID }
      const raw = createSpanBatch(singular, chain)
      assert.deepEqual(raw.l1OriginCheck, checkOf(last.epoch.hash))
      assert.deepEqual(raw.parentCheck, checkOf(first.parentHash))
      const derived = deriveSpanBatch(decodeSpanBatch(encodeSpanBatch(raw), MAX_ELEMENTS), chain)
      assert.deepEqual(
        [...derived.blocks],
        singular.map(({ timestampSec, epoch, transactions }) => ({ timestampSec, epochNumber: epoch.number, transactions })),
      )
    },
  }
}

export function isRawSpanBatch(id: string, vector: Readonly<Record<string, unknown>>): boolean {
  return /span-?batch/i.test(`${id} ${String(vector.kind)}`) && rawBytesOf(vector).length > 0
}

function rawBytesOf(vector: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.values(vector)
    .flat()
    .filter((value): value is string => typeof value === 'string' && /^0x([0-9a-f]{2}){40,}$/i.test(value))
}

/** Some vectors start with a span batch's type byte. */
export function rawSpanBatchCases(id: string, vector: Readonly<Record<string, unknown>>): ConformanceCase[] {
  return rawBytesOf(vector).map((hex, i) => ({
    id: `${id}/${i}`,
    run() {
      const raw = hexToBytes(hex)
      const content = raw[0] === SPAN_BATCH_VERSION ? raw.subarray(1) : raw
      assert.equal(bytesToHex(encodeSpanBatch(decodeSpanBatch(content, MAX_ELEMENTS))), bytesToHex(content))
    },
  }))
}
