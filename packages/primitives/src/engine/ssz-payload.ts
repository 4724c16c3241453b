/**
 * Versions 2, 3 and 4 add the withdrawals, blob gas and L2 withdrawals root. consensus-specs bellatrix/capella/deneb
 * ExecutionPayload; specs protocol/isthmus/exec-engine.md
 */
import { ByteListType, ByteVectorType, ContainerType, ListCompositeType, UintBigintType, type ValueOf } from '@chainsafe/ssz'
import type { Withdrawal } from '../block/block.ts'
import { CodecError, messageOf } from '../errors.ts'
import { hexToBytes, toAddress, toHash } from '../hex.ts'
import type { ExecutionPayload } from './engine-api.ts'

export type PayloadVersion = 1 | 2 | 3 | 4

const MAX_TRANSACTIONS = 1 << 20
const MAX_TRANSACTION_BYTES = 1 << 30
const MAX_WITHDRAWALS = 16
const MAX_EXTRA_DATA_BYTES = 32
/** Every transaction is larger. Without this minimum four megabytes of offsets would decode to a million transactions. */
const MIN_TRANSACTION_BYTES = 32
const MAX_UNWEIGHED = 1_024
const OFFSET_BYTES = 4
const TRANSACTIONS_OFFSET_AT = 504
const WITHDRAWALS_OFFSET_AT = 508

const uint64 = new UintBigintType(8)
const bytes20 = new ByteVectorType(20)
const bytes32 = new ByteVectorType(32)
const withdrawals = new ListCompositeType(
  new ContainerType({ index: uint64, validatorIndex: uint64, address: bytes20, amountGwei: uint64 }),
  MAX_WITHDRAWALS,
)
const FIELDS = {
  parentHash: bytes32,
  feeRecipient: bytes20,
  stateRoot: bytes32,
  receiptsRoot: bytes32,
  logsBloom: new ByteVectorType(256),
  prevRandao: bytes32,
  blockNumber: uint64,
  gasLimit: uint64,
  gasUsed: uint64,
  timestampSec: uint64,
  extraData: new ByteListType(MAX_EXTRA_DATA_BYTES),
  baseFeeWei: new UintBigintType(32),
  blockHash: bytes32,
  transactions: new ListCompositeType(new ByteListType(MAX_TRANSACTION_BYTES), MAX_TRANSACTIONS),
}
const BLOB_FIELDS = { ...FIELDS, withdrawals, blobGasUsed: uint64, excessBlobGas: uint64 }
const TYPES = {
  1: new ContainerType(FIELDS),
  2: new ContainerType({ ...FIELDS, withdrawals }),
  3: new ContainerType(BLOB_FIELDS),
  4: new ContainerType({ ...BLOB_FIELDS, withdrawalsRoot: bytes32 }),
} as const

type SszPayload = ValueOf<(typeof TYPES)[1]> & Partial<ValueOf<(typeof TYPES)[4]>>

export function payloadVersion(payload: ExecutionPayload): PayloadVersion {
  if (payload.withdrawalsRoot !== null) return 4
  if (payload.blobGasUsed !== null) return 3
  return payload.withdrawals !== null ? 2 : 1
}

export function encodePayloadSsz(payload: ExecutionPayload): Uint8Array {
  const version = payloadVersion(payload)
  const value: SszPayload = {
    parentHash: hexToBytes(payload.parentHash),
    feeRecipient: hexToBytes(payload.feeRecipient),
    stateRoot: hexToBytes(payload.stateRoot),
    receiptsRoot: hexToBytes(payload.receiptsRoot),
    logsBloom: payload.logsBloom,
    prevRandao: hexToBytes(payload.prevRandao),
    blockNumber: BigInt(payload.blockNumber),
    gasLimit: payload.gasLimit,
    gasUsed: payload.gasUsed,
    timestampSec: BigInt(payload.timestampSec),
    extraData: payload.extraData,
    baseFeeWei: payload.baseFeeWei,
    blockHash: hexToBytes(payload.blockHash),
    transactions: payload.transactions as Uint8Array[],
    withdrawals: (payload.withdrawals ?? []).map((withdrawal) => ({ ...withdrawal, address: hexToBytes(withdrawal.address) })),
    blobGasUsed: payload.blobGasUsed ?? 0n,
    excessBlobGas: payload.excessBlobGas ?? 0n,
    ...(payload.withdrawalsRoot === null ? {} : { withdrawalsRoot: hexToBytes(payload.withdrawalsRoot) }),
  }
  return typeOf(version).serialize(value)
}

/** Does not check the hash or fork rules. Throws CodecError `codec/payload`. */
export function decodePayloadSsz(version: PayloadVersion, raw: Uint8Array): ExecutionPayload {
  const type = typeOf(version)
  // A record on disk may be of a newer release.
  if (type === undefined) throw bad(`payload version ${version} is unknown, the newest is 4`)
  if (raw.length < type.fixedEnd) throw bad(`${raw.length} bytes, a version ${version} payload has at least ${type.fixedEnd}`)
  checkTransactionCount(version, raw)
  const value = deserialize(type, raw)
  return {
    parentHash: toHash(value.parentHash),
    feeRecipient: toAddress(value.feeRecipient),
    stateRoot: toHash(value.stateRoot),
    receiptsRoot: toHash(value.receiptsRoot),
    logsBloom: value.logsBloom,
    prevRandao: toHash(value.prevRandao),
    blockNumber: toNumber(value.blockNumber, 'block number'),
    gasLimit: value.gasLimit,
    gasUsed: value.gasUsed,
    timestampSec: toNumber(value.timestampSec, 'timestamp'),
    extraData: value.extraData,
    baseFeeWei: value.baseFeeWei,
    blockHash: toHash(value.blockHash),
    transactions: value.transactions,
    withdrawals: value.withdrawals?.map((each): Withdrawal => ({ ...each, address: toAddress(each.address) })) ?? null,
    blobGasUsed: value.blobGasUsed ?? null,
    excessBlobGas: value.excessBlobGas ?? null,
    withdrawalsRoot: value.withdrawalsRoot === undefined ? null : toHash(value.withdrawalsRoot),
  }
}

function typeOf(version: PayloadVersion): Pick<ContainerType<typeof FIELDS>, 'fixedEnd'> & {
  serialize(value: SszPayload): Uint8Array
  deserialize(raw: Uint8Array): SszPayload
} {
  return TYPES[version]
}

function deserialize(type: ReturnType<typeof typeOf>, raw: Uint8Array): SszPayload {
  try {
    return type.deserialize(raw)
  } catch (error) {
    throw bad(messageOf(error))
  }
}

/** The first offset gives the count, before any transaction is decoded. */
function checkTransactionCount(version: PayloadVersion, raw: Uint8Array): void {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length)
  const start = view.getUint32(TRANSACTIONS_OFFSET_AT, true)
  const end = version >= 2 ? view.getUint32(WITHDRAWALS_OFFSET_AT, true) : raw.length
  if (start > end || end > raw.length) throw bad(`transactions from ${start} to ${end} of ${raw.length} bytes`)
  const size = end - start
  if (size < OFFSET_BYTES) return
  const count = view.getUint32(start, true) / OFFSET_BYTES
  const most = Math.min(MAX_TRANSACTIONS, Math.max(MAX_UNWEIGHED, Math.floor(size / (OFFSET_BYTES + MIN_TRANSACTION_BYTES))))
  if (count > most) throw bad(`${count} transactions in ${size} bytes, at most ${most}`)
}

function toNumber(value: bigint, what: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw bad(`${what} ${value} is above 2^53-1`)
  return Number(value)
}

function bad(message: string): CodecError {
  return new CodecError('codec/payload', `SSZ payload: ${message}`)
}
