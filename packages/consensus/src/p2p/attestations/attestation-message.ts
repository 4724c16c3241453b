/**
 * A gossiped attestation: 153 bytes behind snappy, big-endian, without separators: epoch u64, checkpoint number u64, checkpoint
 * hash 32, L1 origin number u64, L1 origin hash 32, signature 65 (r, s, v). The signed digest is in
 * contracts/src/staking/staking-digests.ts.
 */

import type { SignedAttestation } from '@keelson/contracts'
import { bytesToNumber, CodecError, concatBytes, hexToBytes, numberToBytes, toHash } from '@keelson/primitives'
import { snappyCompress, snappyStatedLength } from '@keelson/runtime/snappy'
import { snappyDecompress } from '../gossip/snappy-block.ts'

export const ATTESTATION_BYTES = 153
/** Snappy's worst case for this size, with a margin. */
export const MAX_ATTESTATION_MESSAGE_BYTES = 256

export type AttestationMessageMistake = 'too-large' | 'compression-invalid' | 'encoding-invalid'

export function attestationsTopic(chainId: bigint): string {
  return `/keelson/${chainId}/0/attestations`
}

export function encodeAttestationMessage({ attestation, signature }: SignedAttestation): Uint8Array {
  const { epoch, checkpointNumber, checkpointHash, l1OriginNumber, l1OriginHash } = attestation
  const fields = [
    numberToBytes(epoch, 8),
    numberToBytes(checkpointNumber, 8),
    hexToBytes(checkpointHash),
    numberToBytes(l1OriginNumber, 8),
    hexToBytes(l1OriginHash),
    signature,
  ]
  return snappyCompress(concatBytes(...fields))
}

export function decodeAttestationMessage(message: Uint8Array): SignedAttestation | AttestationMessageMistake {
  if (message.length > MAX_ATTESTATION_MESSAGE_BYTES) return 'too-large'
  if (snappyStatedLength(message) !== ATTESTATION_BYTES) return 'encoding-invalid'
  const data = snappyDecompress(message)
  if (data === null) return 'compression-invalid'
  if (data.length !== ATTESTATION_BYTES) return 'encoding-invalid'
  try {
    return {
      attestation: {
        epoch: bytesToNumber(data.subarray(0, 8)),
        checkpointNumber: bytesToNumber(data.subarray(8, 16)),
        checkpointHash: toHash(data.subarray(16, 48)),
        l1OriginNumber: bytesToNumber(data.subarray(48, 56)),
        l1OriginHash: toHash(data.subarray(56, 88)),
      },
      signature: data.slice(88),
    }
  } catch (error) {
    if (error instanceof CodecError) return 'encoding-invalid'
    throw error
  }
}
