import { DasContextJs } from '@crate-crypto/node-eth-kzg'
import type { SyncKzgVerifier } from '@keelson/primitives'

let context: DasContextJs | null = null

export const syncKzg: SyncKzgVerifier = {
  verifyProof(commitment, z, y, proof) {
    context ??= DasContextJs.create({ usePrecomp: false })
    try {
      return context.verifyKzgProof(commitment, z, y, proof)
    } catch {
      return false
    }
  },
}
