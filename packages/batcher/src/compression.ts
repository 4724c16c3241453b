/** Compression of channels. specs: fjord/derivation.md#brotli-channel-compression */
import type { CompressionAlgorithm } from '@keelson/derivation/codec'

export type CompressionChoice = 'zlib' | 'brotli' | 'brotli-9' | 'brotli-10' | 'brotli-11'

export interface ChannelCompressor {
  /** `level` is the brotli quality; zlib always uses its best. */
  compress(algorithm: CompressionAlgorithm, data: Uint8Array, level?: number): Uint8Array | Promise<Uint8Array>
}

export interface Compression {
  readonly algorithm: CompressionAlgorithm
  readonly level: number
}

/** Quality 11 takes twice as long and saves about a percent. */
const LEVELS: Readonly<Record<CompressionChoice, number>> = { zlib: 9, brotli: 10, 'brotli-9': 9, 'brotli-10': 10, 'brotli-11': 11 }

export function compressionOf(choice: CompressionChoice, brotliAllowed: boolean): Compression {
  if (choice === 'zlib' || !brotliAllowed) return { algorithm: 'zlib', level: LEVELS.zlib }
  return { algorithm: 'brotli', level: LEVELS[choice] }
}
