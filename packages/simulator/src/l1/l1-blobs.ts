/** Blobs that L1 was sent, and the network form of the transactions that carry them. EIP-4844 */
import {
  bytesToHex,
  concatBytes,
  decodeSignedTransaction,
  type Hash,
  rlpBytes,
  rlpDecode,
  rlpEncode,
  rlpList,
  type SignedTransaction,
  TX_BLOB,
  toHash,
} from '@keelson/primitives'

export const BLOB_BYTES = 131_072

export interface NetworkForm {
  readonly tx: SignedTransaction
  readonly blobs: readonly Uint8Array[]
}

/** Throws CodecError. */
export function decodeNetworkForm(raw: Uint8Array): NetworkForm {
  if (raw[0] !== TX_BLOB) return { tx: decodeSignedTransaction(raw), blobs: [] }
  const [fields, blobs] = rlpList(rlpDecode(raw.subarray(1)), 'network form')
  const tx = decodeSignedTransaction(concatBytes(Uint8Array.of(TX_BLOB), rlpEncode([...rlpList(fields, 'transaction')])))
  return { tx, blobs: rlpList(blobs, 'blobs').map((blob) => rlpBytes(blob, 'blob', BLOB_BYTES)) }
}

/** Blobs are mostly zeros at their end, which are not kept. */
export class L1Blobs {
  readonly #kept = new Map<Hash, Uint8Array>()

  keep({ tx, blobs }: NetworkForm): void {
    const hashes = tx.type === TX_BLOB ? tx.blobVersionedHashes : []
    for (const [i, blob] of blobs.entries()) {
      const hash = hashes[i]
      if (hash !== undefined) this.#kept.set(toHash(hash), blob.slice(0, 1 + blob.findLastIndex((byte) => byte !== 0)))
    }
  }

  /** Hexadecimal. */
  find(hash: Hash): string | null {
    const found = this.#kept.get(hash)
    return found === undefined ? null : bytesToHex(found).padEnd(2 + 2 * BLOB_BYTES, '0')
  }
}
