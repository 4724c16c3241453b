/** Nothing is signed on a guess: a malformed record is an error. */
import type { Attestation } from '@keelson/contracts'
import {
  type Address,
  type Bytes32,
  concatBytes,
  hexToBytes,
  messageOf,
  numberToBytes,
  type RlpInput,
  rlpBigint,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  rlpNumber,
  toAddress,
  toHash,
  utf8ToBytes,
} from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import { BUCKETS } from './buckets.ts'
import type { ProtectedChain } from './protected-chain.ts'
import type { StopRecord } from './slashing-protection.ts'

export interface Header {
  readonly createdMs: number
  readonly chain: ProtectedChain | null
}

export interface Marks {
  readonly watermark: number | null
  readonly newestEpoch: number | null
}

export interface SignedRecord {
  readonly digest: Bytes32
  readonly attestation: Attestation
}

const LAYOUT = 1
const ADDRESS_BYTES = 20

export const HEADER_KEY = Uint8Array.of(BUCKETS.protectionHeader)
export const STOP_KEY = Uint8Array.of(BUCKETS.protectionStop)
export const FIRST_KEY = Uint8Array.of(BUCKETS.protectionKey)
export const END_OF_KEYS = Uint8Array.of(BUCKETS.protectionKey + 1)

export function marksKey(key: Address): Uint8Array {
  return concatBytes(FIRST_KEY, hexToBytes(key))
}

export function keyOfMarks(stored: Uint8Array): Address {
  return toAddress(stored.subarray(1, 1 + ADDRESS_BYTES))
}

export function signedKey(key: Address, epoch: number): Uint8Array {
  return concatBytes(Uint8Array.of(BUCKETS.protectionAttestation), hexToBytes(key), numberToBytes(epoch, 8))
}

export function encodeHeader({ createdMs, chain }: Header): Uint8Array {
  const identity = chain === null ? [] : [chain.chainId, hexToBytes(chain.contract), hexToBytes(chain.anchor)]
  return rlpEncode([LAYOUT, createdMs, identity])
}

export function decodeHeader(bytes: Uint8Array): Header {
  return decode('header', bytes, ([layout, created, identity]) => {
    const version = rlpNumber(layout, 'layout')
    if (version !== LAYOUT) throw new Error(`it has layout ${version}, this release reads ${LAYOUT}`)
    const [chainId, contract, anchor, ...none] = rlpList(identity, 'chain')
    const bound = chainId !== undefined
    if (none.length > 0) throw new Error('its chain has too many parts')
    return {
      createdMs: rlpNumber(created, 'created'),
      chain: bound
        ? {
            chainId: rlpBigint(chainId, 'chain id'),
            contract: toAddress(rlpBytes(contract, 'contract', ADDRESS_BYTES)),
            anchor: toHash(rlpBytes(anchor, 'anchor', 32)),
          }
        : null,
    }
  })
}

export function encodeMarks({ watermark, newestEpoch }: Marks): Uint8Array {
  return rlpEncode([optional(watermark), optional(newestEpoch)])
}

export function decodeMarks(bytes: Uint8Array): Marks {
  return decode('marks of a key', bytes, ([watermark, newest]) => ({
    watermark: optionalNumber(watermark, 'watermark'),
    newestEpoch: optionalNumber(newest, 'newest epoch'),
  }))
}

export function encodeSigned({ digest, attestation }: SignedRecord): Uint8Array {
  const { epoch, checkpointNumber, checkpointHash, l1OriginNumber, l1OriginHash } = attestation
  return rlpEncode([digest, epoch, checkpointNumber, hexToBytes(checkpointHash), l1OriginNumber, hexToBytes(l1OriginHash)])
}

export function decodeSigned(bytes: Uint8Array): SignedRecord {
  return decode('signed attestation', bytes, ([digest, epoch, number, hash, l1Number, l1Hash]) => ({
    digest: rlpBytes(digest, 'digest', 32).slice(),
    attestation: {
      epoch: rlpNumber(epoch, 'epoch'),
      checkpointNumber: rlpNumber(number, 'checkpoint number'),
      checkpointHash: toHash(rlpBytes(hash, 'checkpoint hash', 32)),
      l1OriginNumber: rlpNumber(l1Number, 'L1 origin number'),
      l1OriginHash: toHash(rlpBytes(l1Hash, 'L1 origin hash', 32)),
    },
  }))
}

export function encodeStop({ reason, sinceMs, key }: StopRecord): Uint8Array {
  return rlpEncode([utf8ToBytes(reason), sinceMs, key === null ? new Uint8Array(0) : hexToBytes(key)])
}

export function decodeStop(bytes: Uint8Array): StopRecord {
  return decode('stop', bytes, ([reason, since, key]) => {
    const address = rlpBytes(key, 'key')
    return {
      reason: new TextDecoder().decode(rlpBytes(reason, 'reason')),
      sinceMs: rlpNumber(since, 'since'),
      key: address.length === 0 ? null : toAddress(address),
    }
  })
}

/** Throws ValidatorError `consensus/protection-damaged`. */
function decode<T>(what: string, bytes: Uint8Array, read: (items: ReturnType<typeof rlpList>) => T): T {
  try {
    return read(rlpList(rlpDecode(bytes), what))
  } catch (error) {
    throw damagedProtection(`its ${what} cannot be read (${messageOf(error)})`, error)
  }
}

export function damagedProtection(what: string, cause?: unknown): ValidatorError {
  return new ValidatorError(
    'consensus/protection-damaged',
    'critical',
    `the slashing protection store is damaged: ${what}; nothing is signed. Do not begin afresh: move the store away, and import the ` +
      `newest export of it (${asCalled('validator')} protection import FILE). Without one, leave these keys alone for good, or ask them out`,
    {},
    { cause },
  )
}

function optional(value: number | null): RlpInput {
  return value === null ? [] : [value]
}

function optionalNumber(item: Parameters<typeof rlpList>[0], what: string): number | null {
  const [value] = rlpList(item, what)
  return value === undefined ? null : rlpNumber(value, what)
}
