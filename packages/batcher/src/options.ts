/** Options of the batcher: what the code takes, and how an operator gives them. */
import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import type { CompressionChoice } from './compression.ts'
import { DEFAULT_THROTTLE_OPTIONS, throttleOptions } from './throttle-options.ts'

export type DataAvailability = 'calldata' | 'blobs' | 'auto'
export type BatchType = 'singular' | 'span'

export const batcherOptions = {
  dataAvailability: option<DataAvailability>({
    key: 'dataAvailability',
    parse: parse.oneOf('calldata', 'blobs', 'auto'),
    default: 'auto',
    description: 'Where batches go on L1; auto takes what is cheaper for each channel.',
  }),
  batchType: option<BatchType>({
    key: 'batchType',
    parse: parse.oneOf('singular', 'span'),
    default: 'span',
    description: 'One batch a block, or one for a run of blocks, which is smaller.',
  }),
  compression: option<CompressionChoice>({
    key: 'compression',
    parse: parse.oneOf('zlib', 'brotli', 'brotli-9', 'brotli-10', 'brotli-11'),
    default: 'brotli',
    description: 'Compression of channels; brotli is brotli-10, and zlib is used as long as the chain does not know brotli.',
  }),
  maxChannelDurationL1Blocks: option({
    key: 'maxChannelDuration',
    parse: parse.integer(0, 3600),
    default: 5,
    description: 'L1 blocks after which a channel is closed although it is not full; 0 waits until it is full or has to be closed.',
  }),
  targetFramesPerChannel: option({
    key: 'targetNumFrames',
    parse: parse.integer(1, 100),
    default: 1,
    description: 'Frames a full channel should take.',
  }),
  maxFramesPerTransaction: option({
    key: 'maxFramesPerTransaction',
    parse: parse.integer(1, 9),
    default: 6,
    description: 'Blobs at most in one L1 transaction, and never more than L1 allows; calldata always carries one frame.',
  }),
  maxCalldataBytes: option({
    key: 'maxL1TxSizeBytes',
    parse: parse.integer(1000, 130_000),
    default: 120_000,
    description: 'Bytes of calldata at most in one L1 transaction (pools refuse transactions over 128 KiB).',
  }),
  maxBlocksPerSpanBatch: option({
    key: 'maxBlocksPerSpanBatch',
    parse: parse.integer(1, 100_000),
    default: 1000,
    description: 'Blocks at most in one span batch.',
  }),
  safetyMarginL1Blocks: option({
    key: 'subSafetyMargin',
    parse: parse.integer(1, 1000),
    default: 10,
    description: 'L1 blocks before the end of the sequencing window at which a channel is closed at once.',
  }),
  maxPendingTransactions: option({
    key: 'maxPendingTx',
    parse: parse.integer(1, 100),
    default: 10,
    description: 'L1 transactions waiting at once, over all channels.',
  }),
  ...throttleOptions,
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 1000,
    description: 'Milliseconds between two looks at the chain.',
  }),
  stopped: option({
    key: 'stopped',
    parse: parse.toggle,
    default: false,
    description: 'Begin only when admin_startBatcher is called.',
  }),
} as const

export type BatcherOptions = OptionValues<typeof batcherOptions>

export const DEFAULT_BATCHER_OPTIONS: BatcherOptions = {
  ...DEFAULT_THROTTLE_OPTIONS,
  dataAvailability: 'auto',
  batchType: 'span',
  compression: 'brotli',
  maxChannelDurationL1Blocks: 5,
  targetFramesPerChannel: 1,
  maxFramesPerTransaction: 6,
  maxCalldataBytes: 120_000,
  maxBlocksPerSpanBatch: 1000,
  safetyMarginL1Blocks: 10,
  maxPendingTransactions: 10,
  pollIntervalMs: 1000,
  stopped: false,
}
