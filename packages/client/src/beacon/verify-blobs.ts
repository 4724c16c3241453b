import { bytesToHex, type Crypto, type Hash, type Kzg, parseData, parseJsonArray, parseJsonObject, toHash } from '@keelson/primitives'

export const BLOB_BYTES = 131_072
const COMMITMENT_BYTES = 48
const VERSION_KZG = 1

export type FoundBlobs = ReadonlyMap<Hash, Uint8Array>

export interface BlobVerification {
  readonly kzg: Kzg
  readonly crypto: Pick<Crypto, 'sha256'>
}

/** EIP-4844 kzg_to_versioned_hash. */
export function versionedHash(commitment: Uint8Array, crypto: Pick<Crypto, 'sha256'>): Hash {
  const digest = crypto.sha256(commitment).slice()
  digest[0] = VERSION_KZG
  return toHash(bytesToHex(digest))
}

/** Checks proofs and omits invalid blobs. Throws CodecError. */
export async function blobsFromSidecars(answer: unknown, wanted: readonly Hash[], { kzg, crypto }: BlobVerification): Promise<FoundBlobs> {
  const found = new Map<Hash, Uint8Array>()
  for (const entry of dataOf(answer)) {
    const sidecar = parseJsonObject(entry, 'sidecar')
    const commitment = parseData(sidecar.kzg_commitment, 'kzg_commitment', COMMITMENT_BYTES)
    const hash = versionedHash(commitment, crypto)
    if (!wanted.includes(hash) || found.has(hash)) continue
    const blob = parseData(sidecar.blob, 'blob', BLOB_BYTES)
    const proof = parseData(sidecar.kzg_proof, 'kzg_proof', COMMITMENT_BYTES)
    if (await kzg.verifyBlobProof(blob, commitment, proof)) found.set(hash, blob)
  }
  return found
}

/** Computes commitments and omits blobs not requested. Throws CodecError. */
export async function blobsFromList(answer: unknown, wanted: readonly Hash[], { kzg, crypto }: BlobVerification): Promise<FoundBlobs> {
  const found = new Map<Hash, Uint8Array>()
  for (const entry of dataOf(answer)) {
    if (found.size === wanted.length) break
    const blob = parseData(entry, 'blob', BLOB_BYTES)
    const hash = versionedHash(await kzg.blobToCommitment(blob), crypto)
    if (wanted.includes(hash)) found.set(hash, blob)
  }
  return found
}

function dataOf(answer: unknown): readonly unknown[] {
  return parseJsonArray(parseJsonObject(answer, 'beacon answer').data, 'data', (element) => element)
}
