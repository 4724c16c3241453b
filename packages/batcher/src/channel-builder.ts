/**
 * Collects blocks until a channel is full or its time is up. How large it will be is known only after
 * compression, which is done anew whenever what was added since could have filled it.
 */
import {
  type CompressionAlgorithm,
  type Compressor,
  createSpanBatch,
  encodeChannel,
  type SpanBatchChain,
  type WireBatch,
} from '@keelson/derivation/codec'
import type { BatchBlock } from './batch-block.ts'

export interface ChannelFormat {
  readonly batches: 'singular' | 'span'
  readonly algorithm: CompressionAlgorithm
  readonly targetBytes: number
  readonly maxRawBytes: number
  readonly maxBlocksPerSpanBatch: number
}

export type CloseReason = 'full' | 'duration' | 'window' | 'flush'

export interface ChannelBuilder {
  readonly format: ChannelFormat
  /** L1 head when the channel was opened. */
  readonly openedAtL1: number
  readonly blocks: readonly BatchBlock[]
  readonly rawBytes: number
  /** False when the block would overfill a channel that already holds others: close it and open the next. */
  add(block: BatchBlock): boolean
  /** The channel's bytes; at least one block must be in. */
  encode(): Uint8Array
}

export function createChannelBuilder(
  format: ChannelFormat,
  openedAtL1: number,
  chain: SpanBatchChain,
  compressor: Compressor,
): ChannelBuilder {
  const blocks: BatchBlock[] = []
  let rawBytes = 0
  /** Of the last compression, and what it stood for. */
  let measured = { rawBytes: 0, bytes: 0 }

  const encodeBlocks = (of: readonly BatchBlock[]) => encodeChannel(toBatches(of, format, chain), format.algorithm, compressor)

  /** What is not compressed yet counts in full, so that too large a channel is never taken for a fitting one. */
  function fits(): boolean {
    if (rawBytes > format.maxRawBytes) return false
    if (measured.bytes + (rawBytes - measured.rawBytes) <= format.targetBytes) return true
    measured = { rawBytes, bytes: encodeBlocks(blocks).length }
    return measured.bytes <= format.targetBytes
  }

  return {
    format,
    openedAtL1,
    get blocks() {
      return blocks
    },
    get rawBytes() {
      return rawBytes
    },
    add(block) {
      blocks.push(block)
      rawBytes += block.rawBytes
      // a block too large for any channel still has to go into one
      if (blocks.length === 1 || fits()) return true
      blocks.pop()
      rawBytes -= block.rawBytes
      return false
    },
    encode: () => encodeBlocks(blocks),
  }
}

function toBatches(blocks: readonly BatchBlock[], format: ChannelFormat, chain: SpanBatchChain): WireBatch[] {
  if (format.batches === 'singular') return blocks.map(({ input }) => ({ kind: 'singular', batch: input }))
  const spans: WireBatch[] = []
  for (let from = 0; from < blocks.length; from += format.maxBlocksPerSpanBatch) {
    const inputs = blocks.slice(from, from + format.maxBlocksPerSpanBatch).map(({ input }) => input)
    spans.push({ kind: 'span', batch: createSpanBatch(inputs, chain) })
  }
  return spans
}
