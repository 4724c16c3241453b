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
  readonly blockCount?: number
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
  const written = decode(r, vector.totalBlockTxCount ?? vector.totalLegacyTxCount ?? vector.blockCount ?? 1)
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

type Check = (vector: SpanFieldVector) => void
type Codec = (reader: ByteReader, count: number) => Uint8Array

const CHECK_BYTES = 20
const bitlist: Codec = (r, count) => encodeBitlist(readBitlist(r, count, 'bits'))
const uvarints: Codec = (r, count) => concatBytes(...readUvarints(r, count, 'number').map(encodeUvarint))
const uvarint: Codec = (r) => uvarints(r, 1)
const checkBytes: Codec = (r) => r.bytes(CHECK_BYTES, 'check')
const signatures: Codec = (r, count) => concatBytes(...readSignatures(r, count))
const txDatas: Codec = (r, count) => concatBytes(...readTxDatas(r, count))
const transactions: Codec = (r, count) => encodeSpanBatchTxs(readSpanBatchTxs(r, count))
const prefix: Codec = (r) => concatBytes(uvarint(r, 1), uvarint(r, 1), checkBytes(r, 1), checkBytes(r, 1))

function creationBits(v: SpanFieldVector): void {
  roundTrip(v, (r, count) => {
    const list = readBitlist(r, count, 'bits')
    if (v.expectedContractCreationCount !== undefined) assert.equal(countBits(list), v.expectedContractCreationCount)
    return encodeBitlist(list)
  })
}

function receivers(v: SpanFieldVector): void {
  roundTrip(v, (r, count) => concatBytes(...readTos(r, bits(given(v.contractCreationBits, 'contractCreationBits'), count))))
}

const read =
  (codec: Codec): Check =>
  (vector) =>
    roundTrip(vector, codec)

/** By the field that a name names; the first that fits counts. specs: protocol/delta/span-batches.md */
const FIELD_CHECKS: readonly (readonly [name: RegExp, check: Check])[] = [
  [/contract_?creation_?bits/i, creationBits],
  [/bits$/i, read(bitlist)],
  [/block_?count$|rel_?timestamp$|origin_?num(ber)?$/i, read(uvarint)],
  [/(parent|origin)_?check$/i, read(checkBytes)],
  [/prefix$/i, read(prefix)],
  [/tx_?counts$|gas(es)?$|nonces?$/i, read(uvarints)],
  [/datas?$/i, read(txDatas)],
  [/tos?$/i, receivers],
  [/sigs?(_?rs)?$|signatures?$/i, read(signatures)],
  [/(encode|decode|batch)_?txs?$|^decodeAndEncode$/i, read(transactions)],
]

/** For a name that names no field: one of the codecs has to read all bytes and write the same. */
function readByAny(vector: SpanFieldVector): void {
  const failures: unknown[] = []
  for (const codec of [transactions, txDatas, signatures, bitlist, uvarints, prefix, checkBytes]) {
    try {
      roundTrip(vector, codec)
      return
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `no field of a span batch has the bytes of ${vector.name}`)
}

function checkOfField(vector: SpanFieldVector): Check {
  if (vector.txs !== undefined) return splitAndJoin
  if (vector.expectedV !== undefined) return recoverV
  return FIELD_CHECKS.find(([name]) => name.test(vector.name))?.[1] ?? readByAny
}

export function spanFieldCase(id: string, vector: SpanFieldVector): ConformanceCase {
  return { id, run: () => checkOfField(vector)(vector) }
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
