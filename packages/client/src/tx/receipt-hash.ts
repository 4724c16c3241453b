import { CodecError, type Hash, parseHash } from '@keelson/primitives'

/** A receipt counts only for the transaction that it names. Throws CodecError. */
export function parseReceiptHash(receipt: Readonly<Record<string, unknown>>, asked: Hash | undefined): Hash {
  const hash = parseHash(receipt.transactionHash, 'transactionHash')
  if (hash !== asked) throw new CodecError('codec/hash', `receipt of transaction ${hash}, expected that of ${asked}`)
  return hash
}
