/**
 * Collects blocks until a channel is full or due. When the estimated size is full, the channel is compressed, and blocks that do
 * not fit go into the next one.
 */
import { BROTLI_CHANNEL_VERSION, createSpanBatch, encodeBatches, type SpanBatchChain, type WireBatch } from '@keelson/derivation/codec'
import { concatBytes } from '@keelson/primitives'
import type { BatchBlock } from './batch-block.ts'
import type { ChannelCompressor, Compression } from './compression.ts'

export interface ChannelFormat {
  readonly batches: 'singular' | 'span'
  readonly compression: Compression
  readonly targetBytes: number
  /** Allows a larger target if whole blocks would leave much of it empty. */
  readonly growth: { readonly stepBytes: number; readonly maxBytes: number } | null
  readonly maxRawBytes: number
  readonly maxBlocksPerSpanBatch: number
}

export type CloseReason = 'full' | 'duration' | 'window' | 'flush'

export interface ChannelBuilder {
  readonly format: ChannelFormat
  readonly openedAtL1: number
  readonly blocks: readonly BatchBlock[]
  readonly rawBytes: number
  readonly estimatedBytes: number
  readonly targetBytes: number
  readonly compressions: number
  /** Null while there is room, else the blocks for the next channel. */
  add(block: BatchBlock): Promise<readonly BatchBlock[] | null>
  finish(): Promise<{ readonly channel: Uint8Array; readonly over: readonly BatchBlock[] }>
}

interface Measure {
  readonly count: number
  readonly rawBytes: number
  readonly channel: Uint8Array
}

const MAX_SEARCH = 5
/** If less of the target is used, it grows, because a partly empty blob costs as much as a full one. */
const GOOD_FULLNESS = 0.9

export function createChannelBuilder(
  format: ChannelFormat,
  openedAtL1: number,
  chain: SpanBatchChain,
  compressor: ChannelCompressor,
  expectedRatio: number,
): ChannelBuilder {
  let blocks: BatchBlock[] = []
  let rawBytes = 0
  let compressions = 0
  let { targetBytes } = format
  let measured: Measure | null = null

  async function measure(count: number): Promise<Measure> {
    const of = blocks.slice(0, count)
    const { algorithm, level } = format.compression
    const compressed = await compressor.compress(algorithm, encodeBatches(toBatches(of, format, chain)), level)
    compressions++
    const channel = algorithm === 'brotli' ? concatBytes(Uint8Array.of(BROTLI_CHANNEL_VERSION), compressed) : compressed
    return { count, rawBytes: sumRaw(of), channel }
  }

  function estimate(): number {
    if (measured === null) return rawBytes * expectedRatio
    return measured.channel.length + (rawBytes - measured.rawBytes) * (measured.channel.length / measured.rawBytes)
  }

  const fits = ({ channel, rawBytes: raw }: Measure) => channel.length <= targetBytes && raw <= format.maxRawBytes

  async function findLast(low: Measure | null, high: Measure): Promise<Measure> {
    for (let tries = 0; high.count - (low?.count ?? 0) > 1 && (tries < MAX_SEARCH || low === null); tries++) {
      const from = low ?? { count: 0, rawBytes: 0, channel: new Uint8Array(0) }
      const share = (targetBytes - from.channel.length) / (high.channel.length - from.channel.length)
      const wantedRaw = Math.min(from.rawBytes + share * (high.rawBytes - from.rawBytes), format.maxRawBytes)
      let count = from.count
      for (let raw = from.rawBytes; count < high.count && raw + (blocks[count] as BatchBlock).rawBytes <= wantedRaw; count++) {
        raw += (blocks[count] as BatchBlock).rawBytes
      }
      const tried = await measure(Math.min(Math.max(count, from.count + 1), high.count - 1))
      if (fits(tried)) low = tried
      else high = tried
    }
    // If not even one block fits, it is still posted.
    return low ?? high
  }

  function grow({ channel, rawBytes: raw }: Measure): boolean {
    const { growth } = format
    if (growth === null || channel.length >= GOOD_FULLNESS * targetBytes || raw > format.maxRawBytes) return false
    if (targetBytes + growth.stepBytes > growth.maxBytes) return false
    targetBytes += growth.stepBytes
    return true
  }

  async function trim(): Promise<{ readonly channel: Uint8Array; readonly over: readonly BatchBlock[] }> {
    const before = measured
    const whole = await measure(blocks.length)
    measured = fits(whole) ? whole : await findLast(before, whole)
    while (measured !== whole && grow(measured)) measured = fits(whole) ? whole : await findLast(measured, whole)
    const over = blocks.slice(measured.count)
    blocks = blocks.slice(0, measured.count)
    rawBytes = measured.rawBytes
    return { channel: measured.channel, over }
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
    get estimatedBytes() {
      return Math.ceil(estimate())
    },
    get targetBytes() {
      return targetBytes
    },
    get compressions() {
      return compressions
    },
    async add(block) {
      blocks.push(block)
      rawBytes += block.rawBytes
      if (estimate() < targetBytes && rawBytes <= format.maxRawBytes) return null
      const { over, channel } = await trim()
      if (over.length > 0) return over
      // Full if another average block would not fit; trying it would need an expensive compression.
      const full = targetBytes - channel.length < channel.length / blocks.length || rawBytes > format.maxRawBytes
      return full ? over : null
    },
    async finish() {
      return measured?.count === blocks.length ? { channel: measured.channel, over: [] } : trim()
    },
  }
}

function sumRaw(blocks: readonly BatchBlock[]): number {
  return blocks.reduce((sum, block) => sum + block.rawBytes, 0)
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
