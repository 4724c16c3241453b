/** Recovery takes about 0.1 ms native and 5 ms pure, so callers cache it. */
import type { Crypto } from '../crypto/crypto.ts'
import { SECP256K1_HALF_ORDER } from '../crypto/crypto.ts'
import type { Bytes20 } from '../hex.ts'
import { signingDigest } from './encode-transaction.ts'
import { isDeposit, isPostExec, type SignedTransaction, type Transaction } from './transaction.ts'

/** Sender of post-execution transactions, which nobody signs. specs: protocol/lagoon/post-exec.md#signer-and-signature */
const NOBODY: Bytes20 = new Uint8Array(20)

/**
 * Returns the signer, a deposit's `from`, or the zero address for a post-execution transaction. Returns null for an invalid
 * signature and, with `lowSignatures`, for a high `s`. Only blocks from before EIP-2 may pass false.
 */
export function recoverSender(tx: Transaction, crypto: Pick<Crypto, 'recover'>, lowSignatures = true): Bytes20 | null {
  if (isDeposit(tx)) return tx.from
  if (isPostExec(tx)) return NOBODY
  const { signature } = tx
  if (signature.r === 0n || signature.s === 0n || (lowSignatures && hasHighSignature(tx))) return null
  return crypto.recover(signingDigest(tx), signature)
}

/** Anyone can turn a low `s` high without the key. */
export function hasHighSignature({ signature }: SignedTransaction): boolean {
  return signature.s > SECP256K1_HALF_ORDER
}
