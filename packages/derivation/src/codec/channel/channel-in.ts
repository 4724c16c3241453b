/** protocol/derivation.md#channel-format, fjord/derivation.md#brotli-channel-compression */
import { NodeError, type RlpItem, rlpBytes, rlpDecodeFirst } from '@keelson/primitives'
import type { CompressionAlgorithm, DecompressedPrefix, Decompressor } from '../../ports.ts'
import { type ReadBatch, scanBatch } from '../batch/batch.ts'
import type { Scan } from '../bytes/scan.ts'
import { BufferedReads } from '../streams/stream-reads.ts'

export interface ChannelRules {
  readonly maxRlpBytesPerChannel: number
  readonly maxSpanBatchElements: number
  readonly brotliChannels: boolean
}

export const BROTLI_CHANNEL_VERSION = 1
const FIRST_LIST_BYTE = 0xc0

/** `first` is the first byte of a zlib header, or a version byte (Fjord). */
export function channelAlgorithm(first: number): CompressionAlgorithm | null {
  const low = first & 0x0f
  if (low === 8 || low === 15) return 'zlib'
  return first === BROTLI_CHANNEL_VERSION ? 'brotli' : null
}

export type OpenedChannel =
  | {
      readonly ok: true
      readonly algorithm: CompressionAlgorithm
      readonly batches: BatchIterator
    }
  | { readonly ok: false; readonly reason: 'channel-version-unknown' | 'channel-brotli-too-early' }

export interface BatchIterator {
  /** Unread decompressed bytes; 0 before decompression. */
  readonly remainingBytes: number
  readonly trailingBytes: number
  next(): NextBatch
}
export type NextBatch =
  | { readonly kind: 'batch'; readonly batch: ReadBatch /** Ignored bytes after the batch. */; readonly trailingBytes: number }
  /** Call `next` again. */
  | { readonly kind: 'again' }
  | { readonly kind: 'end' }
  /** Batches read before the loss remain valid. */
  | { readonly kind: 'malformed'; readonly reason: LossReason; readonly message: string }
export type LossReason = 'channel-corrupt' | 'channel-too-long' | 'batch-malformed'

export function openChannel(data: Uint8Array, rules: ChannelRules, decompressor: Decompressor): OpenedChannel {
  const algorithm = data[0] === undefined ? null : channelAlgorithm(data[0])
  if (algorithm === null) return { ok: false, reason: 'channel-version-unknown' }
  if (algorithm === 'brotli' && !rules.brotliChannels) return { ok: false, reason: 'channel-brotli-too-early' }
  const compressed = algorithm === 'brotli' ? data.subarray(1) : data
  return { ok: true, algorithm, batches: decompressing(decompressor.decompress(algorithm, compressed, rules.maxRlpBytesPerChannel), rules) }
}

function decompressing(scan: Scan<DecompressedPrefix>, rules: ChannelRules): BatchIterator {
  let batches: BatchIterator | null = null
  return {
    get remainingBytes() {
      return batches?.remainingBytes ?? 0
    },
    get trailingBytes() {
      return batches?.trailingBytes ?? 0
    },
    next() {
      if (batches !== null) return batches.next()
      const { done, value } = scan.next()
      if (done !== true) return { kind: 'again' }
      batches = iterate(value, rules)
      return batches.next()
    },
  }
}

function iterate({ output, end, reads, unreadBytes }: DecompressedPrefix, rules: ChannelRules): BatchIterator {
  // A decompressor may return a subclass such as Buffer, whose `slice` differs.
  const stream = new Uint8Array(output.buffer, output.byteOffset, output.length)
  const buffered = reads === undefined ? null : new BufferedReads(reads)
  let offset = 0
  let scan: ReturnType<typeof scanBatch> | null = null

  function advance(scanning: ReturnType<typeof scanBatch>): NextBatch {
    try {
      const { done, value } = scanning.next()
      scan = done === true ? null : scanning
      return done === true ? { kind: 'batch', ...value } : { kind: 'again' }
    } catch (error) {
      scan = null
      return lost('batch-malformed', messageOf(error))
    }
  }

  /** Repeats the reads of Go's rlp.Stream: a byte, the rest of the header, the content. */
  function isDelivered(item: RlpItem, from: number): boolean {
    if (buffered === null) return true
    const content = item instanceof Uint8Array && (stream[from] as number) >= 0x80 ? item.length : 0
    return buffered.take(1) && buffered.take(offset - from - 1 - content) && buffered.take(content)
  }

  function atEnd(): NextBatch {
    // With a damaged first byte, the data may be a valid but empty stream.
    if (stream.length === 0 && end !== 'corrupt') return lost('channel-corrupt', 'compressed stream holds no batch')
    if (end === 'complete') return { kind: 'end' }
    return end === 'corrupt'
      ? lost('channel-corrupt', `compressed stream is corrupt after ${stream.length} bytes`)
      : lost('channel-too-long', `channel decompresses to more than ${stream.length} bytes`)
  }

  return {
    trailingBytes: unreadBytes ?? 0,
    get remainingBytes() {
      return stream.length - offset
    },
    next() {
      if (scan !== null) return advance(scan)
      if (offset >= stream.length) return atEnd()
      // Reject a list before decoding what may be a hundred million items.
      if ((stream[offset] as number) >= FIRST_LIST_BYTE) return lost('batch-malformed', 'expected a batch as an RLP string, got a list')
      let item: RlpItem
      const from = offset
      try {
        const first = rlpDecodeFirst(stream, offset)
        item = first.item
        offset = first.end
      } catch (error) {
        return lost(REASON_WITHIN_BATCH[end], messageOf(error))
      }
      if (!isDelivered(item, from)) return lost('channel-corrupt', 'the compressed stream fails before this batch is complete')
      return advance(scanBatch(rlpBytes(item, 'batch'), rules.maxSpanBatchElements))
    },
  }
}

/** Reasons for a loss within a batch, which was most likely cut off. */
const REASON_WITHIN_BATCH = { complete: 'batch-malformed', limit: 'channel-too-long', corrupt: 'channel-corrupt' } as const

function lost(reason: LossReason, message: string): NextBatch {
  return { kind: 'malformed', reason, message }
}

function messageOf(error: unknown): string {
  if (!(error instanceof NodeError)) throw error
  return error.message
}
