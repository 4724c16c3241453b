/** L1 data is verified against the block hash. Null means that L1 lacks the block, which indicates a reorg. */
import type { Bytes20, Hash, Header, L1BlockRef, PayloadEnvelope, Receipt, Signature, Transaction } from '@keelson/primitives'
import type { Scan } from './codec/bytes/scan.ts'

export interface L1Reader {
  blockRef(at: 'latest' | 'safe' | 'finalized' | number | Hash): Promise<L1BlockRef | null>
  header(hash: Hash): Promise<Header | null>
  transactions(hash: Hash): Promise<readonly Transaction[] | null>
  receipts(hash: Hash): Promise<readonly Receipt[] | null>
}

export interface BlobReader {
  /** Verified blobs in order. Throws an error of severity 'temporary' when one is unavailable. */
  blobs(at: L1BlockRef, versionedHashes: readonly Hash[]): Promise<readonly Uint8Array[]>
}

/** Implementations should cache recent payloads: the attributes builder requests each block. */
export interface L2Reader {
  payload(at: number | Hash): Promise<PayloadEnvelope | null>
}

export type CompressionAlgorithm = 'zlib' | 'brotli'

export interface Decompressor {
  /** Output up to the end of the input, the limit or the corruption; its batches count, because a channel may lack a trailer. */
  decompress(algorithm: CompressionAlgorithm, data: Uint8Array, maxBytes: number): Scan<DecompressedPrefix>
}
export interface DecompressedPrefix {
  readonly output: Uint8Array
  readonly end: 'complete' | 'limit' | 'corrupt'
  readonly unreadBytes?: number
  /** Set only by decompressors that track op-node's reads. */
  readonly reads?: StreamReads
}

/**
 * Reads of Go's decoder on a damaged stream. One read may return the last bytes with the error: a buffered reader still serves
 * those bytes, but a batch whose remainder bypasses the buffer is lost.
 */
export interface StreamReads {
  /** Returns at most `maxBytes`, and at least one byte unless it fails. A clean end fails without bytes. */
  read(maxBytes: number): { readonly bytes: number; readonly failed: boolean }
}

export interface Compressor {
  compress(algorithm: CompressionAlgorithm, data: Uint8Array): Uint8Array
}

export interface SenderRecovery {
  recover(digest: Uint8Array, signature: Signature): Bytes20 | null
}
