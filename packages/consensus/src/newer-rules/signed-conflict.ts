import { l1InfoOf } from '@keelson/derivation'
import {
  CodecError,
  decodeTransaction,
  type ExecutionPayload,
  equalBytes,
  type Hash,
  isKnownTransactionType,
  keccak256Hash,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  type PayloadAttributes,
  type PayloadEnvelope,
  type PayloadVersion,
  TX_DEPOSIT,
  toAddress,
  toHash,
} from '@keelson/primitives'

/** A block that the sequencer signed and that this release cannot reproduce. */
export interface SignedConflict {
  readonly number: number
  readonly parentHash: Hash
  /** The block's hash, or the hash of the signed bytes when they cannot be decoded. */
  readonly hash: Hash
  /** Null when the signed bytes cannot be decoded. */
  readonly envelope: PayloadEnvelope | null
  /** The bytes that were signed. Null when encoding `envelope` gives them. */
  readonly signed: SignedBytes | null
  /** Completes "the sequencer signed block N, which". */
  readonly saw: string
}

export interface SignedBytes {
  readonly version: PayloadVersion
  /** Parent beacon block root (from version 3 on) and SSZ payload. */
  readonly signedPart: Uint8Array
}

/** Signed bytes whose signature is valid, and whose content breaks a rule of this release. */
export interface UnreadableBlock extends SignedBytes {
  /** Null when the payload cannot be decoded. */
  readonly envelope: PayloadEnvelope | null
  readonly problem: string
}

/** A later version may add fields to the payload, but the first ones keep their places. specs: protocol/rollup-node-p2p.md#block-encoding */
const PARENT_BYTES = 32
const NUMBER_OFFSET = 32 + 20 + 32 + 32 + 256 + 32
const NUMBER_BYTES = 8
const BEACON_ROOT_BYTES = 32

/** Returns null when the bytes are too short to name a place in the chain. */
export function conflictOfUnreadable({ version, signedPart, envelope, problem }: UnreadableBlock): SignedConflict | null {
  const signed = { version, signedPart }
  if (envelope !== null) return { ...placeOf(envelope.payload), envelope, signed, saw: problem }
  const payload = version < 3 ? signedPart : signedPart.subarray(BEACON_ROOT_BYTES)
  if (payload.length < NUMBER_OFFSET + NUMBER_BYTES) return null
  const number = new DataView(payload.buffer, payload.byteOffset).getBigUint64(NUMBER_OFFSET, true)
  if (number > BigInt(Number.MAX_SAFE_INTEGER)) return null
  const parentHash = toHash(payload.subarray(0, PARENT_BYTES))
  return { number: Number(number), parentHash, hash: keccak256Hash(signedPart), envelope: null, signed, saw: problem }
}

/** `reason` is the execution client's, or that of the derivation rule that the block breaks. */
export function conflictOfRefused(envelope: PayloadEnvelope, reason: string): SignedConflict {
  const unknown = envelope.payload.transactions.map((raw) => raw[0]).find((type) => type !== undefined && !isKnownTransactionType(type))
  const saw =
    unknown === undefined
      ? `is invalid by the rules of this release (${reason})`
      : `has a transaction of type 0x${unknown.toString(16)}, which this release does not know`
  return { ...placeOf(envelope.payload), envelope, signed: null, saw }
}

function placeOf({ blockNumber: number, parentHash, blockHash: hash }: ExecutionPayload) {
  return { number, parentHash, hash }
}

/**
 * Reports whether the block holds the batch from which `attributes` were derived: the same time, L1 origin and sequenced
 * transactions. Deposits are not compared, because a fork adds deposits of its own to its first block.
 */
export function holdsBatch({ payload }: PayloadEnvelope, attributes: PayloadAttributes): boolean {
  if (payload.timestampSec !== attributes.timestampSec) return false
  const [signed, derived] = [sequenced(payload.transactions), sequenced(attributes.transactions)]
  if (signed.length !== derived.length || !signed.every((raw, i) => equalBytes(raw, derived[i] as Uint8Array))) return false
  const [signedOrigin, derivedOrigin] = [l1OriginOf(payload.transactions[0]), l1OriginOf(attributes.transactions[0])]
  // A fork may also change the format of the L1 info deposit.
  return signedOrigin === 'unknown-format' || signedOrigin === derivedOrigin
}

const sequenced = (transactions: readonly Uint8Array[]) => transactions.filter((raw) => raw[0] !== TX_DEPOSIT)

/** L1 hash and sequence number. Null when the transaction is not the L1 info deposit. */
function l1OriginOf(raw: Uint8Array | undefined): string | 'unknown-format' | null {
  const deposit = orNull(() => (raw === undefined ? null : decodeTransaction(raw)))
  if (deposit?.type !== TX_DEPOSIT || deposit.to === null || toAddress(deposit.to) !== L1_BLOCK) return null
  if (toAddress(deposit.from) !== L1_INFO_DEPOSITOR) return null
  const info = orNull(() => l1InfoOf(deposit))
  return info === null ? 'unknown-format' : `${info.hash} ${info.sequenceNumber}`
}

function orNull<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}
