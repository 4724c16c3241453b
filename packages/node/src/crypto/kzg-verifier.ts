/** Loading the trusted setup may block the calling thread. */
import { createRequire } from 'node:module'
import type { DasContextJs } from '@crate-crypto/node-eth-kzg'
import type { Kzg, SyncKzgVerifier } from '@keelson/primitives'

export function createThreadKzgVerifier(): SyncKzgVerifier {
  let kzg: DasContextJs | null = null
  return {
    verifyProof(commitment, z, y, proof) {
      kzg ??= loadKzg()
      try {
        return kzg.verifyKzgProof(commitment, z, y, proof)
      } catch {
        // Undecodable points fail the precompile, as an invalid proof does.
        return false
      }
    },
  }
}

/** Each call blocks the calling thread, for up to a second. */
export function createBlockingKzg(): Kzg {
  const kzg = loadKzg()
  return {
    blobToCommitment: async (blob) => kzg.blobToKzgCommitment(blob),
    blobProof: async (blob, commitment) => kzg.computeBlobKzgProof(blob, commitment),
    verifyBlobProof: async (blob, commitment, proof) => kzg.verifyBlobKzgProof(blob, commitment, proof),
  }
}

export function loadKzg(): DasContextJs {
  const { DasContextJs: Context } = createRequire(import.meta.url)('@crate-crypto/node-eth-kzg') as { DasContextJs: typeof DasContextJs }
  return Context.create({ usePrecomp: false })
}
