/**
 * A block as sequencers sign it: the parent beacon block root (versions 3 and 4), then the payload in SSZ. specs:
 * protocol/rollup-node-p2p.md#block-encoding, #block-signatures
 */
import { bigintToBytes, bytesToBigint, concatBytes } from '../bytes.ts'
import type { Crypto } from '../crypto/crypto.ts'
import type { ExecutionPayload, PayloadEnvelope } from '../engine/engine-api.ts'
import { decodePayloadSsz, encodePayloadSsz, type PayloadVersion, payloadVersion } from '../engine/ssz-payload.ts'
import { CodecError } from '../errors.ts'
import { hexToBytes, toHash } from '../hex.ts'
import { keccak256 } from '../keccak.ts'

export const SIGNATURE_BYTES = 65
const BEACON_ROOT_BYTES = 32

/** The message in parts, so that the signer can see what it signs. */
export interface BlockSigningRequest {
  /** 32 bytes that name the kind of message. */
  readonly domain: Uint8Array
  readonly chainId: bigint
  readonly payloadHash: Uint8Array
}

const SIGNING_DOMAIN = new Uint8Array(32)

/** Throws CodecError `codec/payload` when a version 3 block lacks its root. */
export function encodeSignedPart(envelope: PayloadEnvelope): Uint8Array {
  const ssz = encodePayloadSsz(envelope.payload)
  if (payloadVersion(envelope.payload) < 3) return ssz
  if (envelope.parentBeaconBlockRoot === null) {
    throw new CodecError('codec/payload', `block ${envelope.payload.blockNumber} has blob fields but no parent beacon block root`)
  }
  return concatBytes(hexToBytes(envelope.parentBeaconBlockRoot), ssz)
}

/** Throws CodecError `codec/payload`. */
export function decodeSignedPart(version: PayloadVersion, raw: Uint8Array): PayloadEnvelope {
  if (version < 3) return { payload: decodePayloadSsz(version, raw), parentBeaconBlockRoot: null }
  if (raw.length < BEACON_ROOT_BYTES) throw new CodecError('codec/payload', `${raw.length} bytes have no room for a beacon root`)
  const payload: ExecutionPayload = decodePayloadSsz(version, raw.subarray(BEACON_ROOT_BYTES))
  return { payload, parentBeaconBlockRoot: toHash(raw.subarray(0, BEACON_ROOT_BYTES)) }
}

export function blockSigningRequest(chainId: bigint, signedPart: Uint8Array): BlockSigningRequest {
  return { domain: SIGNING_DOMAIN, chainId, payloadHash: keccak256(signedPart) }
}

export function signingDigestOf({ domain, chainId, payloadHash }: BlockSigningRequest): Uint8Array {
  return keccak256(concatBytes(domain, bigintToBytes(chainId, 32), payloadHash))
}

export function blockSigningDigest(chainId: bigint, signedPart: Uint8Array): Uint8Array {
  return signingDigestOf(blockSigningRequest(chainId, signedPart))
}

/** Returns the signer's address; null for an invalid signature. yParity must be 0 or 1. */
export function recoverBlockSigner(crypto: Crypto, chainId: bigint, signature: Uint8Array, signedPart: Uint8Array): Uint8Array | null {
  // Check the form before hashing the signed part.
  if (!isSignatureForm(signature)) return null
  return recoverRequestSigner(crypto, blockSigningRequest(chainId, signedPart), signature)
}

export function recoverRequestSigner(crypto: Crypto, request: BlockSigningRequest, signature: Uint8Array): Uint8Array | null {
  if (!isSignatureForm(signature)) return null
  const yParity = signature[64] as 0 | 1
  const r = bytesToBigint(signature.subarray(0, 32))
  const s = bytesToBigint(signature.subarray(32, 64))
  return crypto.recover(signingDigestOf(request), { r, s, yParity })
}

function isSignatureForm(signature: Uint8Array): boolean {
  return signature.length === SIGNATURE_BYTES && (signature[64] === 0 || signature[64] === 1)
}
