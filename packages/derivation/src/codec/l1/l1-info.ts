/** protocol/deposits.md#l1-attributes-deposited-transaction, l1-attributes page of each fork */
import type { L1InfoFormat } from '@keelson/chainspec'
import {
  type Address,
  type Bytes32,
  bytesToHex,
  CodecError,
  type DepositTransaction,
  encodeDeposit,
  equalBytes,
  type Hash,
  hexToBytes,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  l1InfoSourceHash,
  padLeft,
  TX_DEPOSIT,
  toAddress,
  toHash,
} from '@keelson/primitives'
import { ByteReader } from '../bytes/byte-reader.ts'
import { ByteWriter } from '../bytes/byte-writer.ts'

/** A field that the format lacks is zero (1 for the blob base fee). */
export interface L1Info {
  readonly format: L1InfoFormat
  readonly number: number
  readonly timestampSec: number
  readonly baseFeeWei: bigint
  readonly hash: Hash
  readonly sequenceNumber: number
  readonly batcherAddress: Address
  /** Used by Bedrock only. */
  readonly overhead: Bytes32
  readonly scalar: Bytes32
  /** From Ecotone. */
  readonly baseFeeScalar: number
  readonly blobBaseFeeScalar: number
  readonly blobBaseFeeWei: bigint
  /** From Isthmus. */
  readonly operatorFeeScalar: number
  readonly operatorFeeConstant: bigint
  /** From Jovian; never zero on the wire. */
  readonly daFootprintGasScalar: number
}

interface Layout {
  readonly length: number
  /** True from Ecotone: each field has its own width. */
  readonly packed: boolean
  readonly operatorFee: boolean
  readonly daFootprint: boolean
}

const LAYOUTS: Readonly<Record<L1InfoFormat, Layout>> = {
  bedrock: { length: 260, packed: false, operatorFee: false, daFootprint: false },
  ecotone: { length: 164, packed: true, operatorFee: false, daFootprint: false },
  isthmus: { length: 176, packed: true, operatorFee: true, daFootprint: false },
  jovian: { length: 178, packed: true, operatorFee: true, daFootprint: true },
}

const FORMATS = (Object.keys(LAYOUTS) as L1InfoFormat[]).reverse()
const SELECTORS: Readonly<Record<L1InfoFormat, Uint8Array>> = {
  bedrock: hexToBytes('0x015d8eb9'),
  ecotone: hexToBytes('0x440a5e20'),
  isthmus: hexToBytes('0x098999be'),
  jovian: hexToBytes('0x3db6be2b'),
}

export function hasPackedFeeScalars(format: L1InfoFormat): boolean {
  return LAYOUTS[format].packed
}

const ZERO_32: Bytes32 = new Uint8Array(32)

export function encodeL1Info(info: L1Info): Uint8Array {
  const layout = LAYOUTS[info.format]
  const writer = new ByteWriter(layout.length).bytes(SELECTORS[info.format])
  return (layout.packed ? writePacked(writer, info, layout) : writeWords(writer, info)).finish()
}

function writeWords(writer: ByteWriter, info: L1Info): ByteWriter {
  return writer
    .uint(info.number, 32)
    .uint(info.timestampSec, 32)
    .uint(info.baseFeeWei, 32)
    .bytes(hexToBytes(info.hash))
    .uint(info.sequenceNumber, 32)
    .bytes(padLeft(hexToBytes(info.batcherAddress), 32))
    .bytes(info.overhead)
    .bytes(info.scalar)
}

function writePacked(writer: ByteWriter, info: L1Info, layout: Layout): ByteWriter {
  writer
    .uint(info.baseFeeScalar, 4)
    .uint(info.blobBaseFeeScalar, 4)
    .uint(info.sequenceNumber, 8)
    .uint(info.timestampSec, 8)
    .uint(info.number, 8)
    .uint(info.baseFeeWei, 32)
    .uint(info.blobBaseFeeWei, 32)
    .bytes(hexToBytes(info.hash))
    .bytes(padLeft(hexToBytes(info.batcherAddress), 32))
  if (layout.operatorFee) writer.uint(info.operatorFeeScalar, 4).uint(info.operatorFeeConstant, 8)
  if (layout.daFootprint) writer.uint(info.daFootprintGasScalar, 2)
  return writer
}

/** Throws CodecError `codec/l1-info`. */
export function decodeL1Info(data: Uint8Array): L1Info {
  const reader = new ByteReader(data, 'codec/l1-info')
  const selector = reader.bytes(4, 'selector')
  const format = FORMATS.find((name) => equalBytes(SELECTORS[name], selector))
  if (format === undefined) return reader.fail(`${bytesToHex(selector)} is no known call with L1 attributes`)
  const { length, packed } = LAYOUTS[format]
  if (data.length !== length) reader.fail(`${format} L1 info: expected ${length} bytes, got ${data.length}`)
  return packed ? decodePacked(format, reader) : decodeWords(format, reader)
}

function readBatcher(reader: ByteReader): Address {
  const word = reader.bytes(32, 'batcherHash')
  for (let i = 0; i < 12; i++) if (word[i] !== 0) reader.fail('batcherHash is not a version 0 hash (an address)')
  return toAddress(word.subarray(12))
}

const readHash = (reader: ByteReader): Hash => toHash(reader.bytes(32, 'l1 block hash'))

function decodeWords(format: L1InfoFormat, reader: ByteReader): L1Info {
  return {
    format,
    number: reader.uint(32, 'l1 block number'),
    timestampSec: reader.uint(32, 'l1 timestamp'),
    baseFeeWei: reader.bigUint(32, 'basefee'),
    hash: readHash(reader),
    sequenceNumber: reader.uint(32, 'sequence number'),
    batcherAddress: readBatcher(reader),
    overhead: reader.bytes(32, 'overhead'),
    scalar: reader.bytes(32, 'scalar'),
    baseFeeScalar: 0,
    blobBaseFeeScalar: 0,
    blobBaseFeeWei: 1n,
    operatorFeeScalar: 0,
    operatorFeeConstant: 0n,
    daFootprintGasScalar: 0,
  }
}

function decodePacked(format: L1InfoFormat, reader: ByteReader): L1Info {
  const { operatorFee, daFootprint } = LAYOUTS[format]
  return {
    format,
    baseFeeScalar: reader.uint(4, 'baseFeeScalar'),
    blobBaseFeeScalar: reader.uint(4, 'blobBaseFeeScalar'),
    sequenceNumber: reader.uint(8, 'sequence number'),
    timestampSec: reader.uint(8, 'l1 timestamp'),
    number: reader.uint(8, 'l1 block number'),
    baseFeeWei: reader.bigUint(32, 'basefee'),
    blobBaseFeeWei: reader.bigUint(32, 'blobBaseFee'),
    hash: readHash(reader),
    batcherAddress: readBatcher(reader),
    overhead: ZERO_32,
    scalar: ZERO_32,
    operatorFeeScalar: operatorFee ? reader.uint(4, 'operatorFeeScalar') : 0,
    operatorFeeConstant: operatorFee ? reader.bigUint(8, 'operatorFeeConstant') : 0n,
    daFootprintGasScalar: daFootprint ? reader.uint(2, 'daFootprintGasScalar') : 0,
  }
}

const DEPOSITOR = hexToBytes(L1_INFO_DEPOSITOR)
const L1_BLOCK_CONTRACT = hexToBytes(L1_BLOCK)
const GAS_LIMIT_METERED = 1_000_000n
const GAS_LIMIT_UNMETERED = 150_000_000n

/** From Regolith (`metered`) this deposit is not a system transaction and pays for its gas. protocol/regolith/overview.md */
export function l1InfoDeposit(info: L1Info, metered: boolean): DepositTransaction {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: l1InfoSourceHash(info.hash, info.sequenceNumber),
    from: DEPOSITOR,
    to: L1_BLOCK_CONTRACT,
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: metered ? GAS_LIMIT_METERED : GAS_LIMIT_UNMETERED,
    isSystemTx: !metered,
    data: encodeL1Info(info),
  })
}

/** Any transaction; only a deposit with data passes. */
interface InfoTransaction {
  readonly type: number
  readonly data?: Uint8Array
}

/** Throws CodecError `codec/l1-info`. */
export function l1InfoOf(first: InfoTransaction | undefined): L1Info {
  if (first === undefined || first.type !== TX_DEPOSIT || first.data === undefined) {
    throw new CodecError('codec/l1-info', 'expected the L1 info deposit as the first transaction of the block')
  }
  return decodeL1Info(first.data)
}
