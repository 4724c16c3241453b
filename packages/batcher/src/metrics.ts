/** What the batcher counts. */
import type { SyncStatus } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { CloseReason } from './channel-builder.ts'

export interface BatcherMetrics {
  status(status: SyncStatus, tip: number | null): void
  channelClosed(reason: CloseReason, blocks: number, rawBytes: number, bytes: number): void
  transactionSent(carrier: 'calldata' | 'blobs', bytes: number): void
  pending(transactions: number): void
  backlog(bytes: number, throttled: boolean): void
  restarted(): void
  failed(): void
}

export function createBatcherMetrics(metrics: Metrics): BatcherMetrics {
  const head = metrics.gauge('l2_block', 'L2 block number of a head', ['head'])
  const lag = metrics.gauge('unsafe_blocks', 'L2 blocks that are unsafe, batched or not')
  const channels = metrics.counter('channels_total', 'channels closed, by what closed them', ['reason'])
  const blocks = metrics.counter('batched_blocks_total', 'L2 blocks in closed channels')
  const raw = metrics.counter('channel_input_bytes_total', 'batch bytes before compression, about')
  const output = metrics.counter('channel_output_bytes_total', 'channel bytes after compression')
  const transactions = metrics.counter('transactions_total', 'L1 transactions sent, by carrier', ['carrier'])
  const posted = metrics.counter('posted_bytes_total', 'bytes sent to L1, by carrier', ['carrier'])
  const pending = metrics.gauge('transactions_pending', 'L1 transactions sent and not settled')
  const backlog = metrics.gauge('backlog_bytes', 'bytes L1 has still to take, about')
  const throttled = metrics.gauge('throttled', '1 while the sequencer is asked for smaller blocks')
  const restarts = metrics.counter('restarts_total', 'times batching began anew at the safe head')
  const failures = metrics.counter('step_failures_total', 'steps that failed')
  return {
    status({ unsafeL2, safeL2 }, tip) {
      head.set(unsafeL2.number, { head: 'unsafe' })
      head.set(safeL2.number, { head: 'safe' })
      if (tip !== null) head.set(tip, { head: 'batched' })
      lag.set(Math.max(0, unsafeL2.number - safeL2.number))
    },
    channelClosed(reason, blockCount, rawBytes, bytes) {
      channels.inc(1, { reason })
      blocks.inc(blockCount)
      raw.inc(rawBytes)
      output.inc(bytes)
    },
    transactionSent(carrier, bytes) {
      transactions.inc(1, { carrier })
      posted.inc(bytes, { carrier })
    },
    pending: (count) => pending.set(count),
    backlog(bytes, isThrottled) {
      backlog.set(bytes)
      throttled.set(isThrottled ? 1 : 0)
    },
    restarted: () => restarts.inc(),
    failed: () => failures.inc(),
  }
}
