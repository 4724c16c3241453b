/**
 * The ports of derivation. L1 data is already verified against the block hash; null means that this L1 does not know the
 * block, which is a sign of a reorg and not an error.
 */
import type { Bytes20, Hash, Header, L1BlockRef, PayloadEnvelope, Receipt, Signature, Transaction } from '@keelson/primitives'
import type { Scan } from './codec/scan.ts'

export interface L1Reader {
  blockRef(at: 'latest' | 'safe' | 'finalized' | number | Hash): Promise<L1BlockRef | null>
  header(hash: Hash): Promise<Header | null>
  transactions(hash: Hash): Promise<readonly Transaction[] | null>
  receipts(hash: Hash): Promise<readonly Receipt[] | null>
}

export interface BlobReader {
  /** Blobs in the order of the hashes, each verified. Throws an error of severity 'temporary' when one is unavailable. */
  blobs(at: L1BlockRef, versionedHashes: readonly Hash[]): Promise<readonly Uint8Array[]>
}

/** Our own L2 chain. Asked once per block by the attributes builder, so an implementation should keep recent payloads at hand. */
export interface L2Reader {
  payload(at: number | Hash): Promise<PayloadEnvelope | null>
}

export type CompressionAlgorithm = 'zlib' | 'brotli'

export interface Decompressor {
  /**
   * Decompresses in steps and returns the output before the input ended, the limit was reached or the stream turned out
   * corrupt. All of it counts: a channel may end without a trailer.
   */
  decompress(algorithm: CompressionAlgorithm, data: Uint8Array, maxBytes: number): Scan<DecompressedPrefix>
}
export interface DecompressedPrefix {
  /** At most `maxBytes`. */
  readonly output: Uint8Array
  readonly end: 'complete' | 'limit' | 'corrupt'
  /** Input after the end of a complete stream; absent counts as none. */
  readonly unreadBytes?: number
  /** The reads through which op-node's decoder returns `output`; set by the decoders that track them. */
  readonly reads?: StreamReads
}

/**
 * The results of Read on the Go decoder of a damaged stream. One call may return both the last bytes and the error: a
 * buffered reader still serves those bytes, but a batch whose remainder bypasses the buffer is lost.
 */
export interface StreamReads {
  /** Returns at most `maxBytes`, and at least one byte unless it failed. A clean end counts as a failure without bytes. */
  read(maxBytes: number): { readonly bytes: number; readonly failed: boolean }
}

export interface Compressor {
  compress(algorithm: CompressionAlgorithm, data: Uint8Array): Uint8Array
}

/** The part of `Crypto` that tells who signed a batcher transaction. */
export interface SenderRecovery {
  recover(digest: Uint8Array, signature: Signature): Bytes20 | null
}
