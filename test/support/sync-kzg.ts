/** KZG proofs checked by the native library; its setup is loaded at the first proof. */
import { DasContextJs } from '@crate-crypto/node-eth-kzg'
import type { SyncKzgVerifier } from '@keelson/primitives'

let context: DasContextJs | null = null

export const syncKzg: SyncKzgVerifier = {
  verifyProof(commitment, z, y, proof) {
    context ??= DasContextJs.create({ usePrecomp: false })
    try {
      return context.verifyKzgProof(commitment, z, y, proof)
    } catch {
      // points or scalars that are none: the proof does not hold
      return false
    }
  },
}
