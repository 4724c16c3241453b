/** Attestations and offences on the rollup RPC: plain JSON numbers, as the other rollup_* methods have them; bytes in hex. */
import {
  bytesToHex,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonInteger,
  parseJsonObject,
  parseQuantityNumber,
} from '@keelson/primitives'
import type { DoubleAttestation, DoubleBlock, InvalidAttestation, Offences, SeenAttestation, SignedBlock } from './staking-evidence.ts'
import type { SignedAttestation } from './staking-transactions.ts'

type JsonObject = Readonly<Record<string, unknown>>

const SIGNATURE_BYTES = 65

export function signedAttestationToJson({ attestation, signature }: SignedAttestation): JsonObject {
  return { ...attestation, signature: bytesToHex(signature) }
}

/** Numbers may be hex quantities too. Throws CodecError. */
export function parseSignedAttestationJson(value: unknown, what = 'attestation'): SignedAttestation {
  const o = parseJsonObject(value, what)
  return {
    attestation: {
      epoch: parseNumberOrQuantity(o.epoch, `${what}.epoch`),
      checkpointNumber: parseNumberOrQuantity(o.checkpointNumber, `${what}.checkpointNumber`),
      checkpointHash: parseHash(o.checkpointHash, `${what}.checkpointHash`),
      l1OriginNumber: parseNumberOrQuantity(o.l1OriginNumber, `${what}.l1OriginNumber`),
      l1OriginHash: parseHash(o.l1OriginHash, `${what}.l1OriginHash`),
    },
    signature: parseData(o.signature, `${what}.signature`, SIGNATURE_BYTES),
  }
}

/** A JSON number or a hex quantity. Throws CodecError. */
export function parseNumberOrQuantity(value: unknown, what: string): number {
  return typeof value === 'number' ? parseJsonInteger(value, what) : parseQuantityNumber(value, what)
}

export function seenAttestationToJson(seen: SeenAttestation): JsonObject {
  return { validator: seen.validator, seenMs: seen.seenMs, ...signedAttestationToJson(seen) }
}

/** Throws CodecError. */
export function parseSeenAttestationJson(value: unknown, what = 'attestation'): SeenAttestation {
  const o = parseJsonObject(value, what)
  return {
    ...parseSignedAttestationJson(o, what),
    validator: parseAddress(o.validator, `${what}.validator`),
    seenMs: parseJsonInteger(o.seenMs, `${what}.seenMs`),
  }
}

export function offencesToJson(offences: Offences): JsonObject {
  return {
    doubleAttestations: offences.doubleAttestations.map(({ validator, epoch, first, second }) => ({
      validator,
      epoch,
      first: signedAttestationToJson(first),
      second: signedAttestationToJson(second),
    })),
    invalidAttestations: offences.invalidAttestations.map((invalid) => ({
      validator: invalid.validator,
      actualHash: invalid.actualHash,
      ...signedAttestationToJson(invalid),
    })),
    doubleBlocks: offences.doubleBlocks.map(({ first, second, ...place }) => ({
      ...place,
      first: signedBlockToJson(first),
      second: signedBlockToJson(second),
    })),
  }
}

/** Throws CodecError. */
export function parseOffencesJson(value: unknown): Offences {
  const o = parseJsonObject(value, 'offences')
  return {
    doubleAttestations: parseJsonArray(o.doubleAttestations, 'doubleAttestations', parseDoubleAttestation),
    invalidAttestations: parseJsonArray(o.invalidAttestations, 'invalidAttestations', parseInvalidAttestation),
    doubleBlocks: parseJsonArray(o.doubleBlocks, 'doubleBlocks', parseDoubleBlock),
  }
}

function parseDoubleAttestation(value: unknown, what: string): DoubleAttestation {
  const o = parseJsonObject(value, what)
  return {
    validator: parseAddress(o.validator, `${what}.validator`),
    epoch: parseJsonInteger(o.epoch, `${what}.epoch`),
    first: parseSignedAttestationJson(o.first, `${what}.first`),
    second: parseSignedAttestationJson(o.second, `${what}.second`),
  }
}

function parseInvalidAttestation(value: unknown, what: string): InvalidAttestation {
  const o = parseJsonObject(value, what)
  return {
    ...parseSignedAttestationJson(o, what),
    validator: parseAddress(o.validator, `${what}.validator`),
    actualHash: parseHash(o.actualHash, `${what}.actualHash`),
  }
}

function parseDoubleBlock(value: unknown, what: string): DoubleBlock {
  const o = parseJsonObject(value, what)
  return {
    blockKey: parseAddress(o.blockKey, `${what}.blockKey`),
    number: parseJsonInteger(o.number, `${what}.number`),
    parentHash: parseHash(o.parentHash, `${what}.parentHash`),
    sourceHash: parseHash(o.sourceHash, `${what}.sourceHash`),
    first: parseSignedBlock(o.first, `${what}.first`),
    second: parseSignedBlock(o.second, `${what}.second`),
  }
}

function signedBlockToJson({ blockHash, signedPart, signature }: SignedBlock): JsonObject {
  return { blockHash, signedPart: bytesToHex(signedPart), signature: bytesToHex(signature) }
}

function parseSignedBlock(value: unknown, what: string): SignedBlock {
  const o = parseJsonObject(value, what)
  return {
    blockHash: parseHash(o.blockHash, `${what}.blockHash`),
    signedPart: parseData(o.signedPart, `${what}.signedPart`),
    signature: parseData(o.signature, `${what}.signature`, SIGNATURE_BYTES),
  }
}
