import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'
import type { CompressionChoice } from './compression.ts'
import { throttleOptions } from './throttle-options.ts'

export type DataAvailability = 'calldata' | 'blobs' | 'auto'
export type BatchType = 'singular' | 'span'

export const batcherOptions = {
  dataAvailability: option<DataAvailability>({
    key: 'dataAvailability',
    parse: parse.oneOf('calldata', 'blobs', 'auto'),
    default: 'auto',
    description: 'Where batches are posted on L1; auto chooses the cheaper carrier for each channel.',
  }),
  batchType: option<BatchType>({
    key: 'batchType',
    parse: parse.oneOf('singular', 'span'),
    default: 'span',
    description: 'One batch per block, or one smaller batch for a span of blocks.',
  }),
  compression: option<CompressionChoice>({
    key: 'compression',
    parse: parse.oneOf('zlib', 'brotli', 'brotli-9', 'brotli-10', 'brotli-11'),
    default: 'brotli',
    description: 'Compression of channels; brotli is brotli-10; zlib is used until the chain supports brotli.',
  }),
  maxChannelDurationL1Blocks: option({
    key: 'maxChannelDuration',
    parse: parse.integer(0, 3600),
    default: 5,
    description: 'L1 blocks after which a channel is closed even if it is not full; 0 waits until it is full or must be closed.',
  }),
  targetFramesPerChannel: option({
    key: 'targetNumFrames',
    parse: parse.integer(1, 100),
    default: 1,
    description: 'Target number of frames of a full channel.',
  }),
  maxFramesPerTransaction: option({
    key: 'maxFramesPerTransaction',
    parse: parse.integer(1, 9),
    default: 6,
    description: 'Maximum number of blobs in an L1 transaction, within the limit of L1; calldata always carries one frame.',
  }),
  maxCalldataBytes: option({
    key: 'maxL1TxSizeBytes',
    parse: parse.integer(1000, 130_000),
    default: 120_000,
    description: 'Maximum bytes of calldata in an L1 transaction (pools reject transactions over 128 KiB).',
  }),
  maxBlocksPerSpanBatch: option({
    key: 'maxBlocksPerSpanBatch',
    parse: parse.integer(1, 100_000),
    default: 1000,
    description: 'Maximum number of blocks in a span batch.',
  }),
  safetyMarginL1Blocks: option({
    key: 'subSafetyMargin',
    parse: parse.integer(1, 1000),
    default: 10,
    description: 'L1 blocks before the end of the sequencing window at which a channel is closed immediately.',
  }),
  maxPendingTransactions: option({
    key: 'maxPendingTx',
    parse: parse.integer(1, 100),
    default: 10,
    description: 'Maximum number of pending L1 transactions, over all channels.',
  }),
  ...throttleOptions,
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 1000,
    description: 'Milliseconds between polls of the chain.',
  }),
  stopped: option({
    key: 'stopped',
    parse: parse.toggle,
    default: false,
    description: 'Wait for admin_startBatcher before batching.',
  }),
} as const

export type BatcherOptions = OptionValues<typeof batcherOptions>
