/** protocol/derivation.md#channel-reader-batch-decoding */
import { NodeError } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { Scan } from '../codec/bytes/scan.ts'
import { type BatchIterator, openChannel } from '../codec/channel/channel-in.ts'
import { openSpanBatch, type SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { Decompressor } from '../ports.ts'
import { AGAIN, type Pull, type Stage } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export type DecodedBatch =
  | { readonly kind: 'singular'; readonly batch: SingularBatch }
  | { readonly kind: 'span'; readonly batch: SpanBatch }

export interface ChannelReader extends Stage<DecodedBatch> {
  reset(): void
  /** Drops the rest of the channel. holocene/derivation.md#fast-channel-invalidation */
  flush(): void
}

export function createChannelReader(context: StageContext, previous: Stage<Uint8Array>, decompressor: Decompressor): ChannelReader {
  const { config } = context
  const chain = { genesisTimestampSec: config.genesis.l2TimestampSec, blockTimeSec: config.blockTimeSec, chainId: config.l2ChainId }
  let open: BatchIterator | null = null
  let hasReadFirst = false
  let checked: Scan<SpanBatch> | null = null

  function openNext(data: Uint8Array): void {
    const opened = openChannel(data, context.rules, decompressor)
    if (!opened.ok) {
      context.drop('channel-reader', opened.reason, { bytes: data.length, firstByte: data[0] ?? null })
      return
    }
    open = opened.batches
    hasReadFirst = false
  }

  function readFirst({ trailingBytes }: BatchIterator): void {
    if (trailingBytes > 0) context.drop('channel-reader', 'channel-trailing-bytes', { bytes: trailingBytes })
    hasReadFirst = true
  }

  function flush(): void {
    if (open !== null) context.drop('channel-reader', 'channel-flushed', { bytes: open.remainingBytes })
    open = null
    checked = null
  }

  function check(span: Scan<SpanBatch>): Pull<DecodedBatch> {
    try {
      const { done, value } = span.next()
      checked = done === true ? null : span
      return done === true ? { kind: 'item', item: { kind: 'span', batch: value } } : AGAIN
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      checked = null
      // op-node drops only this batch (channel_in_reader.go, optimism pull request 19502); kona ends the channel. The
      // specification does not define "ignored" (specs issue 29).
      context.drop('channel-reader', 'batch-malformed', { message: error.message })
      return AGAIN
    }
  }

  return {
    async pull() {
      if (checked !== null) return check(checked)
      if (open === null) {
        const pulled = await previous.pull()
        if (pulled.kind !== 'item') return pulled
        openNext(pulled.item)
        if (open === null) return AGAIN
      }
      const next = open.next()
      if (next.kind === 'again') return AGAIN
      if (!hasReadFirst) readFirst(open)
      if (next.kind !== 'batch') {
        if (next.kind === 'malformed') {
          context.drop('channel-reader', next.reason, { message: next.message, bytes: open.remainingBytes })
        }
        open = null
        return AGAIN
      }
      if (next.trailingBytes > 0) context.drop('channel-reader', 'batch-trailing-bytes', { bytes: next.trailingBytes })
      return next.batch.kind === 'singular' ? { kind: 'item', item: next.batch } : check(openSpanBatch(next.batch.layout, chain))
    },
    reset() {
      open = null
      checked = null
    },
    flush,
  }
}
