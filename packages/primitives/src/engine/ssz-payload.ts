/**
 * SSZ form of an execution payload, as gossip carries it. Four versions, each the one before with more
 * fields: withdrawals (2), blob gas (3), L2 withdrawals root (4).
 * consensus-specs bellatrix/capella/deneb ExecutionPayload; specs protocol/isthmus/exec-engine.md
 */
import type { Withdrawal } from '../block/block.ts'
import { CodecError } from '../errors.ts'
import { type Address, hexToBytes, toAddress, toHash } from '../hex.ts'
import type { ExecutionPayload } from './engine-api.ts'

export type PayloadVersion = 1 | 2 | 3 | 4

const FIXED_BYTES: Readonly<Record<PayloadVersion, number>> = { 1: 508, 2: 512, 3: 528, 4: 560 }
const MAX_EXTRA_DATA_BYTES = 32
const MAX_TRANSACTIONS = 1 << 20
/**
 * Minimum size of a transaction. Every type is larger: a signed one holds r, s and seven more fields, a deposit a source
 * hash and two addresses. A list of more than MAX_UNWEIGHED transactions must have this many bytes for each; otherwise
 * four megabytes of offsets alone would decode to a million transactions.
 */
const MIN_TRANSACTION_BYTES = 32
const MAX_UNWEIGHED = 1_024
const MAX_WITHDRAWALS = 16
const WITHDRAWAL_BYTES = 44
const OFFSET_BYTES = 4

/** The version a payload's own fields call for. */
export function payloadVersion(payload: ExecutionPayload): PayloadVersion {
  if (payload.withdrawalsRoot !== null) return 4
  if (payload.blobGasUsed !== null) return 3
  return payload.withdrawals !== null ? 2 : 1
}

export function encodePayloadSsz(payload: ExecutionPayload): Uint8Array {
  const version = payloadVersion(payload)
  const fixed = FIXED_BYTES[version]
  const transactionsAt = fixed + payload.extraData.length
  let transactionsBytes = payload.transactions.length * OFFSET_BYTES
  for (const tx of payload.transactions) transactionsBytes += tx.length
  const withdrawalsAt = transactionsAt + transactionsBytes
  const withdrawals = payload.withdrawals ?? []
  const out = new Uint8Array(withdrawalsAt + withdrawals.length * WITHDRAWAL_BYTES)
  const write = new Writer(out)
  write.bytes(hexToBytes(payload.parentHash))
  write.bytes(hexToBytes(payload.feeRecipient))
  write.bytes(hexToBytes(payload.stateRoot))
  write.bytes(hexToBytes(payload.receiptsRoot))
  write.bytes(payload.logsBloom)
  write.bytes(hexToBytes(payload.prevRandao))
  write.u64(BigInt(payload.blockNumber))
  write.u64(payload.gasLimit)
  write.u64(payload.gasUsed)
  write.u64(BigInt(payload.timestampSec))
  write.u32(fixed)
  write.u256(payload.baseFeeWei)
  write.bytes(hexToBytes(payload.blockHash))
  write.u32(transactionsAt)
  if (version >= 2) write.u32(withdrawalsAt)
  if (version >= 3) {
    write.u64(payload.blobGasUsed ?? 0n)
    write.u64(payload.excessBlobGas ?? 0n)
  }
  if (payload.withdrawalsRoot !== null) write.bytes(hexToBytes(payload.withdrawalsRoot))
  write.bytes(payload.extraData)
  let offset = payload.transactions.length * OFFSET_BYTES
  for (const tx of payload.transactions) {
    write.u32(offset)
    offset += tx.length
  }
  for (const tx of payload.transactions) write.bytes(tx)
  for (const w of withdrawals) {
    write.u64(w.index)
    write.u64(w.validatorIndex)
    write.bytes(hexToBytes(w.address))
    write.u64(w.amountGwei)
  }
  return out
}

/** Decodes form only: hash and fork rules are the validator's. Throws CodecError `codec/payload`. */
export function decodePayloadSsz(version: PayloadVersion, raw: Uint8Array): ExecutionPayload {
  const fixed = FIXED_BYTES[version]
  if (raw.length < fixed) throw bad(`${raw.length} bytes, a version ${version} payload has at least ${fixed}`)
  const read = new Reader(raw)
  const head = {
    parentHash: toHash(read.bytes(32)),
    feeRecipient: toAddress(read.bytes(20)),
    stateRoot: toHash(read.bytes(32)),
    receiptsRoot: toHash(read.bytes(32)),
    logsBloom: read.bytes(256),
    prevRandao: toHash(read.bytes(32)),
    blockNumber: read.safeU64('block number'),
    gasLimit: read.u64(),
    gasUsed: read.u64(),
    timestampSec: read.safeU64('timestamp'),
  }
  const extraDataAt = read.u32()
  const baseFeeWei = read.u256()
  const blockHash = toHash(read.bytes(32))
  const transactionsAt = read.u32()
  const withdrawalsAt = version >= 2 ? read.u32() : raw.length
  const blobGasUsed = version >= 3 ? read.u64() : null
  const excessBlobGas = version >= 3 ? read.u64() : null
  const withdrawalsRoot = version >= 4 ? toHash(read.bytes(32)) : null
  if (extraDataAt !== fixed) throw bad(`extra data begins at ${extraDataAt}, expected ${fixed}`)
  if (transactionsAt < extraDataAt || transactionsAt > extraDataAt + MAX_EXTRA_DATA_BYTES) {
    throw bad(`transactions begin at ${transactionsAt}, expected ${fixed} to ${fixed + MAX_EXTRA_DATA_BYTES}`)
  }
  if (withdrawalsAt < transactionsAt || withdrawalsAt > raw.length) {
    throw bad(`withdrawals begin at ${withdrawalsAt}, expected ${transactionsAt} to ${raw.length}`)
  }
  return {
    ...head,
    extraData: raw.slice(extraDataAt, transactionsAt),
    baseFeeWei,
    blockHash,
    transactions: decodeTransactions(raw.subarray(transactionsAt, withdrawalsAt)),
    withdrawals: version >= 2 ? decodeWithdrawals(raw.subarray(withdrawalsAt)) : null,
    blobGasUsed,
    excessBlobGas,
    withdrawalsRoot,
  }
}

function decodeTransactions(raw: Uint8Array): Uint8Array[] {
  if (raw.length === 0) return []
  const read = new Reader(raw)
  if (raw.length < OFFSET_BYTES) throw bad('transactions are too short for an offset')
  const first = read.u32()
  const count = first / OFFSET_BYTES
  if (first === 0 || first % OFFSET_BYTES !== 0 || first > raw.length) throw bad(`first transaction begins at ${first}`)
  const most = Math.min(MAX_TRANSACTIONS, Math.max(MAX_UNWEIGHED, Math.floor(raw.length / (OFFSET_BYTES + MIN_TRANSACTION_BYTES))))
  if (count > most) throw bad(`${count} transactions in ${raw.length} bytes, at most ${most}`)
  const out: Uint8Array[] = []
  let start = first
  for (let i = 0; i < count; i++) {
    const end = i + 1 < count ? read.u32() : raw.length
    if (end < start || end > raw.length) throw bad(`transaction ${i} ends at ${end}, begins at ${start}`)
    out.push(raw.slice(start, end))
    start = end
  }
  return out
}

function decodeWithdrawals(raw: Uint8Array): Withdrawal[] {
  if (raw.length % WITHDRAWAL_BYTES !== 0) throw bad(`withdrawals of ${raw.length} bytes, expected a multiple of ${WITHDRAWAL_BYTES}`)
  const count = raw.length / WITHDRAWAL_BYTES
  if (count > MAX_WITHDRAWALS) throw bad(`${count} withdrawals, at most ${MAX_WITHDRAWALS}`)
  const read = new Reader(raw)
  return Array.from({ length: count }, () => ({
    index: read.u64(),
    validatorIndex: read.u64(),
    address: toAddress(read.bytes(20)) as Address,
    amountGwei: read.u64(),
  }))
}

function bad(message: string): CodecError {
  return new CodecError('codec/payload', `SSZ payload: ${message}`)
}

/** Little-endian cursor over bytes whose length the caller has checked or computed. */
class Reader {
  private at = 0
  private readonly raw: Uint8Array
  private readonly view: DataView
  constructor(raw: Uint8Array) {
    this.raw = raw
    this.view = new DataView(raw.buffer, raw.byteOffset, raw.length)
  }
  bytes(length: number): Uint8Array {
    this.at += length
    return this.raw.slice(this.at - length, this.at)
  }
  u32(): number {
    this.at += 4
    return this.view.getUint32(this.at - 4, true)
  }
  u64(): bigint {
    this.at += 8
    return this.view.getBigUint64(this.at - 8, true)
  }
  safeU64(what: string): number {
    const value = this.u64()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw bad(`${what} ${value} is above 2^53-1`)
    return Number(value)
  }
  u256(): bigint {
    let value = 0n
    for (let i = 3; i >= 0; i--) value = (value << 64n) | this.view.getBigUint64(this.at + 8 * i, true)
    this.at += 32
    return value
  }
}

class Writer {
  private at = 0
  private readonly out: Uint8Array
  private readonly view: DataView
  constructor(out: Uint8Array) {
    this.out = out
    this.view = new DataView(out.buffer, out.byteOffset, out.length)
  }
  bytes(data: Uint8Array): void {
    this.out.set(data, this.at)
    this.at += data.length
  }
  u32(value: number): void {
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }
  u64(value: bigint): void {
    this.view.setBigUint64(this.at, value, true)
    this.at += 8
  }
  u256(value: bigint): void {
    for (let i = 0; i < 4; i++) this.u64((value >> BigInt(64 * i)) & 0xffffffffffffffffn)
  }
}
