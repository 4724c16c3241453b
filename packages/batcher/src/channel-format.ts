/** Format and size of channels under the rules in force at an L1 head. */
import { type InclusionRules, type L1ChainConfig, type L1TransactionRules, l1TransactionRules, type RollupConfig } from '@keelson/chainspec'
import { FRAME_OVERHEAD_BYTES } from '@keelson/derivation/codec'
import { inclusionTime, type L1BlockRef } from '@keelson/primitives'
import { blobsPerTransaction, type Carrier, type CarrierLimits, limitsOn, maxFrameBytes } from './carrier.ts'
import type { ChannelFormat } from './channel-builder.ts'
import { compressionOf } from './compression.ts'
import type { BatcherOptions } from './options.ts'

export interface PostingRules {
  readonly l1: L1TransactionRules
  readonly inclusion: InclusionRules
  readonly blobsAllowed: boolean
}

const RAW_MARGIN = 0.9
/** Bounds memory and compression time for highly compressible blocks. */
const MAX_RAW_BYTES = 16_000_000
const DEFAULT_L1_RULES: L1TransactionRules = {
  maxBlobsPerTransaction: 6,
  cellProofs: false,
  transactionGas: 21_000n,
  zeroByteGas: 10n,
  nonZeroByteGas: 40n,
  maxTransactionGas: null,
}

export function postingRules(config: RollupConfig, l1Chain: L1ChainConfig | null, l1Head: L1BlockRef): PostingRules {
  const l1 = l1Chain === null ? DEFAULT_L1_RULES : l1TransactionRules(l1Chain, l1Head.timestampSec)
  const inclusion = config.forks.inclusionRules(inclusionTime(l1Head))
  return { l1, inclusion, blobsAllowed: inclusion.blobs && l1.maxBlobsPerTransaction > 0 }
}

export function targetChannelBytes(carrier: Carrier, { l1 }: PostingRules, options: BatcherOptions): number {
  return options.targetFramesPerChannel * frameDataBytes(carrier, limitsOn(l1, options))
}

export function frameDataBytes(carrier: Carrier, limits: Pick<CarrierLimits, 'maxCalldataBytes'>): number {
  return maxFrameBytes(carrier, limits) - FRAME_OVERHEAD_BYTES
}

export function channelFormat(carrier: Carrier, spanBatches: boolean, rules: PostingRules, options: BatcherOptions): ChannelFormat {
  const stepBytes = frameDataBytes('blobs', options)
  return {
    batches: spanBatches ? 'span' : 'singular',
    compression: compressionOf(options.compression, rules.inclusion.brotliChannels),
    targetBytes: targetChannelBytes(carrier, rules, options),
    // The target grows to as many blobs as fit in one transaction.
    growth: carrier === 'blobs' ? { stepBytes, maxBytes: stepBytes * blobsPerTransaction(rules.l1, options) } : null,
    maxRawBytes: Math.min(Math.floor(rules.inclusion.maxRlpBytesPerChannel * RAW_MARGIN), MAX_RAW_BYTES),
    maxBlocksPerSpanBatch: options.maxBlocksPerSpanBatch,
  }
}
