/** Posts L2 blocks to L1. */
export * from './batcher.ts'
export type { ChannelCompressor, CompressionChoice } from './compression.ts'
export * from './errors.ts'
export * from './options.ts'
export * from './ports.ts'
