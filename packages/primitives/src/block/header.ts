/** Fields added by a fork are null before it. EIPs 1559, 4895, 4844, 4788, 7685, 7928, 7843 */
import { bigintToBytes } from '../bytes.ts'
import { CodecError } from '../errors.ts'
import { type Address, type Hash, hexToBytes, toAddress, toHash } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'
import { type RlpInput, rlpBigint, rlpBytes, rlpDecode, rlpEncode, rlpList, rlpNumber } from '../rlp.ts'

export interface Header {
  readonly parentHash: Hash
  readonly ommersHash: Hash
  readonly feeRecipient: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Unix seconds, at most 2^53-1, because all times are JavaScript numbers. */
  readonly timestampSec: number
  readonly extraData: Uint8Array
  /** PREVRANDAO from Paris, the mix hash before. */
  readonly mixHash: Hash
  /** 8 bytes, zero from Paris. */
  readonly nonce: Uint8Array
  readonly baseFeeWei: bigint | null
  readonly withdrawalsRoot: Hash | null
  readonly blobGasUsed: bigint | null
  readonly excessBlobGas: bigint | null
  readonly parentBeaconBlockRoot: Hash | null
  readonly requestsHash: Hash | null
  /** EIP-7928, L1 only: keccak256 of the access list's RLP. */
  readonly blockAccessListHash: Hash | null
  /** EIP-7843, L1 only: the beacon chain's slot, a u64. */
  readonly slotNumber: bigint | null
}

const OPTIONAL_FIELDS = [
  'baseFeeWei',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
] as const
const FIXED_FIELD_COUNT = 15

export function encodeHeader(header: Header): Uint8Array {
  return rlpEncode(headerFields(header))
}

export function headerFields(h: Header): RlpInput[] {
  const fields: RlpInput[] = [
    hexToBytes(h.parentHash),
    hexToBytes(h.ommersHash),
    hexToBytes(h.feeRecipient),
    hexToBytes(h.stateRoot),
    hexToBytes(h.transactionsRoot),
    hexToBytes(h.receiptsRoot),
    h.logsBloom,
    h.difficulty,
    h.number,
    h.gasLimit,
    h.gasUsed,
    h.timestampSec,
    h.extraData,
    hexToBytes(h.mixHash),
    h.nonce,
  ]
  let ended = false
  for (const name of OPTIONAL_FIELDS) {
    const value = h[name]
    if (value === null) {
      ended = true
      continue
    }
    if (ended) throw new CodecError('codec/header', `header ${h.number} has ${name} but lacks an earlier field`)
    fields.push(typeof value === 'bigint' ? value : hexToBytes(value))
  }
  return fields
}

export function hashHeader(header: Header): Hash {
  return keccak256Hash(encodeHeader(header))
}

/** Throws CodecError (`codec/header` or `codec/rlp`). */
export function decodeHeader(raw: Uint8Array): Header {
  const f = rlpList(rlpDecode(raw), 'header')
  if (f.length < FIXED_FIELD_COUNT || f.length > FIXED_FIELD_COUNT + OPTIONAL_FIELDS.length) {
    const most = FIXED_FIELD_COUNT + OPTIONAL_FIELDS.length
    throw new CodecError('codec/header', `header with ${f.length} fields; expected ${FIXED_FIELD_COUNT} to ${most}`)
  }
  const hash = (i: number, what: string) => toHash(rlpBytes(f[i], what, 32))
  const optional = <T>(i: number, read: () => T): T | null => (i < f.length ? read() : null)
  return {
    parentHash: hash(0, 'parentHash'),
    ommersHash: hash(1, 'ommersHash'),
    feeRecipient: toAddress(rlpBytes(f[2], 'feeRecipient', 20)),
    stateRoot: hash(3, 'stateRoot'),
    transactionsRoot: hash(4, 'transactionsRoot'),
    receiptsRoot: hash(5, 'receiptsRoot'),
    logsBloom: rlpBytes(f[6], 'logsBloom', 256),
    difficulty: rlpBigint(f[7], 'difficulty'),
    number: rlpNumber(f[8], 'number'),
    gasLimit: rlpBigint(f[9], 'gasLimit', 8),
    gasUsed: rlpBigint(f[10], 'gasUsed', 8),
    timestampSec: rlpNumber(f[11], 'timestamp'),
    extraData: rlpBytes(f[12], 'extraData'),
    mixHash: hash(13, 'mixHash'),
    nonce: rlpBytes(f[14], 'nonce', 8),
    baseFeeWei: optional(15, () => rlpBigint(f[15], 'baseFee')),
    withdrawalsRoot: optional(16, () => hash(16, 'withdrawalsRoot')),
    blobGasUsed: optional(17, () => rlpBigint(f[17], 'blobGasUsed', 8)),
    excessBlobGas: optional(18, () => rlpBigint(f[18], 'excessBlobGas', 8)),
    parentBeaconBlockRoot: optional(19, () => hash(19, 'parentBeaconBlockRoot')),
    requestsHash: optional(20, () => hash(20, 'requestsHash')),
    blockAccessListHash: optional(21, () => hash(21, 'blockAccessListHash')),
    slotNumber: optional(22, () => rlpBigint(f[22], 'slotNumber', 8)),
  }
}

/** keccak(rlp([])). */
export const EMPTY_OMMERS_HASH = keccak256Hash(Uint8Array.of(0xc0))
/** keccak(rlp('')). */
export const EMPTY_TRIE_ROOT = keccak256Hash(Uint8Array.of(0x80))
/** keccak(''). */
export const EMPTY_CODE_HASH = keccak256Hash(new Uint8Array(0))
/** sha256(''), which every OP block has from Isthmus (EIP-7685). */
export const EMPTY_REQUESTS_HASH = toHash('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
/** keccak(rlp([])) (EIP-7928). */
export const EMPTY_BLOCK_ACCESS_LIST_HASH = EMPTY_OMMERS_HASH
export const ZERO_HASH = toHash(new Uint8Array(32))
export const ZERO_ADDRESS = toAddress(new Uint8Array(20))

export function u64ToBytes(value: number | bigint): Uint8Array {
  return bigintToBytes(BigInt(value), 8)
}
