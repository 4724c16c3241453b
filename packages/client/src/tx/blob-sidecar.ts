/** One proof per blob (EIP-4844), or from Osaka on 128 cell proofs per blob (EIP-7594). */
import {
  type Bytes32,
  type Crypto,
  concatBytes,
  hexToBytes,
  type Kzg,
  rlpEncode,
  rlpEncodeList,
  type SignedTransaction,
} from '@keelson/primitives'
import { versionedHash } from '../beacon/verify-blobs.ts'
import { ClientError } from '../client-error.ts'

export type SidecarForm = 'blob-proofs' | 'cell-proofs'

export interface BlobProver extends Pick<Kzg, 'blobToCommitment' | 'blobProof'> {
  /** Returns 128 proofs of 48 bytes. */
  cellProofs?(blob: Uint8Array): Promise<readonly Uint8Array[]>
}

export interface BlobSidecar {
  readonly form: SidecarForm
  readonly blobs: readonly Uint8Array[]
  readonly commitments: readonly Uint8Array[]
  readonly proofs: readonly Uint8Array[]
  readonly versionedHashes: readonly Bytes32[]
}

const CELL_PROOFS_VERSION = 1

/** Throws ClientError `client/transaction-rejected` when the prover lacks cell proofs. */
export async function buildBlobSidecar(
  blobs: readonly Uint8Array[],
  form: SidecarForm,
  kzg: BlobProver,
  crypto: Pick<Crypto, 'sha256'>,
): Promise<BlobSidecar> {
  const commitments: Uint8Array[] = []
  const proofs: Uint8Array[] = []
  for (const blob of blobs) {
    const commitment = await kzg.blobToCommitment(blob)
    commitments.push(commitment)
    if (form === 'blob-proofs') proofs.push(await kzg.blobProof(blob, commitment))
    else if (kzg.cellProofs !== undefined) proofs.push(...(await kzg.cellProofs(blob)))
    else
      throw new ClientError(
        'client/transaction-rejected',
        'critical',
        'this L1 asks for cell proofs beside blobs, which this KZG library does not make',
      )
  }
  const versionedHashes = commitments.map((commitment) => hexToBytes(versionedHash(commitment, crypto)))
  return { form, blobs, commitments, proofs, versionedHashes }
}

/** Network form for eth_sendRawTransaction; the hash is that of the bare transaction. */
export function encodeWithSidecar(transaction: SignedTransaction, sidecar: BlobSidecar): Uint8Array {
  const fields = transaction.raw.subarray(1)
  const version = sidecar.form === 'cell-proofs' ? [rlpEncode(CELL_PROOFS_VERSION)] : []
  const lists = [sidecar.blobs, sidecar.commitments, sidecar.proofs].map((list) => rlpEncode([...list]))
  return concatBytes(Uint8Array.of(transaction.type), rlpEncodeList([fields, ...version, ...lists]))
}
