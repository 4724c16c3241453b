/** The bytes of a whole channel to its batches. protocol/derivation.md#channel-format, fjord/derivation.md#brotli-channel-compression */
import { NodeError, type RlpItem, rlpBytes, rlpDecodeFirst } from '@keelson/primitives'
import type { CompressionAlgorithm, Decompressor } from '../ports.ts'
import { decodeBatch, type WireBatch } from './batch.ts'

export interface ChannelRules {
  readonly maxRlpBytesPerChannel: number
  readonly maxSpanBatchElements: number
  readonly brotliChannels: boolean
}

export const BROTLI_CHANNEL_VERSION = 1

/** By the first byte: the header of a zlib stream, or a version. Null when it is neither. */
export function channelAlgorithm(first: number): CompressionAlgorithm | null {
  const low = first & 0x0f
  if (low === 8 || low === 15) return 'zlib'
  return first === BROTLI_CHANNEL_VERSION ? 'brotli' : null
}

export type OpenedChannel =
  | { readonly ok: true; readonly algorithm: CompressionAlgorithm; readonly batches: BatchIterator }
  | { readonly ok: false; readonly reason: 'channel-version-unknown' | 'channel-brotli-too-early' }

export interface BatchIterator {
  /** `end` also stands for a decompressed stream that stops within a batch: the rest is lost, what came before counts. */
  next(): NextBatch
}
export type NextBatch =
  | { readonly kind: 'batch'; readonly wire: WireBatch }
  | { readonly kind: 'end' }
  | { readonly kind: 'malformed'; readonly reason: 'channel-corrupt' | 'batch-malformed'; readonly message: string }

export function openChannel(data: Uint8Array, rules: ChannelRules, decompressor: Decompressor): OpenedChannel {
  const algorithm = data[0] === undefined ? null : channelAlgorithm(data[0])
  if (algorithm === null) return { ok: false, reason: 'channel-version-unknown' }
  if (algorithm === 'brotli' && !rules.brotliChannels) return { ok: false, reason: 'channel-brotli-too-early' }
  const compressed = algorithm === 'brotli' ? data.subarray(1) : data
  const { output, end } = decompressor.decompressPrefix(algorithm, compressed, rules.maxRlpBytesPerChannel)
  // a plain view: an implementation may answer with a subclass whose slices behave otherwise
  const stream = new Uint8Array(output.buffer, output.byteOffset, output.length)
  return { ok: true, algorithm, batches: iterate(stream, end, rules) }
}

function iterate(stream: Uint8Array, end: 'complete' | 'limit' | 'corrupt', rules: ChannelRules): BatchIterator {
  let offset = 0
  return {
    next() {
      if (offset >= stream.length) {
        // a damaged first byte may make a valid stream of nothing
        if (stream.length === 0 && end !== 'corrupt') return empty()
        return end === 'corrupt'
          ? { kind: 'malformed', reason: 'channel-corrupt', message: `compressed stream is corrupt after ${stream.length} bytes` }
          : { kind: 'end' }
      }
      let item: RlpItem
      try {
        const first = rlpDecodeFirst(stream, offset)
        item = first.item
        offset = first.end
      } catch (error) {
        // a stream that broke off ends within a batch more often than not
        return malformed(end === 'corrupt' ? 'channel-corrupt' : 'batch-malformed', error)
      }
      try {
        return { kind: 'batch', wire: decodeBatch(rlpBytes(item, 'batch'), rules.maxSpanBatchElements) }
      } catch (error) {
        return malformed('batch-malformed', error)
      }
    },
  }
}

function empty(): NextBatch {
  return { kind: 'malformed', reason: 'channel-corrupt', message: 'compressed stream holds no batch' }
}

function malformed(reason: 'channel-corrupt' | 'batch-malformed', error: unknown): NextBatch {
  if (!(error instanceof NodeError)) throw error
  return { kind: 'malformed', reason, message: error.message }
}
