/**
 * A gossiped block: signature, then the beacon root (versions 3 and 4), then the payload in SSZ.
 * specs: protocol/rollup-node-p2p.md#block-encoding, #block-signatures, #message-id-computation
 */
import {
  bigintToBytes,
  bytesToBigint,
  CodecError,
  type Crypto,
  concatBytes,
  type ExecutionPayload,
  hexToBytes,
  keccak256,
  type PayloadEnvelope,
  toHash,
  utf8ToBytes,
} from '@keelson/primitives'
import type { BlockSigningRequest } from '../../ports.ts'
import { decodePayloadSsz, encodePayloadSsz, type PayloadVersion, payloadVersion } from './ssz-payload.ts'

export const SIGNATURE_BYTES = 65
const BEACON_ROOT_BYTES = 32
const SIGNING_DOMAIN = new Uint8Array(32)
const MESSAGE_ID_BYTES = 20
const DOMAIN_VALID_SNAPPY = Uint8Array.of(1, 0, 0, 0)
const DOMAIN_INVALID_SNAPPY = Uint8Array.of(0, 0, 0, 0)

/** The part a sequencer signs: everything after the signature. Throws CodecError `codec/payload` when a version 3 block lacks its root. */
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

/** The 32 bytes that are signed for a request. */
export function signingDigestOf({ domain, chainId, payloadHash }: BlockSigningRequest): Uint8Array {
  return keccak256(concatBytes(domain, bigintToBytes(chainId, 32), payloadHash))
}

/** The 32 bytes a sequencer signs. */
export function blockSigningDigest(chainId: bigint, signedPart: Uint8Array): Uint8Array {
  return signingDigestOf(blockSigningRequest(chainId, signedPart))
}

/** Address of the signer (20 bytes), null when the signature is not one; yParity must be 0 or 1. */
export function recoverBlockSigner(crypto: Crypto, chainId: bigint, signature: Uint8Array, signedPart: Uint8Array): Uint8Array | null {
  // check the form before hashing the signed part
  if (!isSignatureForm(signature)) return null
  return recoverRequestSigner(crypto, blockSigningRequest(chainId, signedPart), signature)
}

/** As `recoverBlockSigner`, from the parts of what was signed. */
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

/** Name of the gossip topic for blocks of a version. */
export function blocksTopic(chainId: bigint, version: PayloadVersion): string {
  return `/optimism/${chainId}/${version - 1}/blocks`
}

/**
 * First 20 bytes of sha256(domain, topic length as u64 LE, topic, data), with the decompressed data when
 * it decompresses: the topic is part of it on the wire, though the specification's text leaves it out.
 */
export function messageId(crypto: Crypto, topic: string, data: Uint8Array, decompressed: Uint8Array | null): Uint8Array {
  const name = utf8ToBytes(topic)
  const length = bigintToBytes(BigInt(name.length), 8).reverse()
  const domain = decompressed === null ? DOMAIN_INVALID_SNAPPY : DOMAIN_VALID_SNAPPY
  return crypto.sha256(concatBytes(domain, length, name, decompressed ?? data)).slice(0, MESSAGE_ID_BYTES)
}
