import type { SyncStatus } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { Carrier } from './carrier.ts'
import type { CloseReason } from './channel-builder.ts'
import type { ThrottleState } from './throttle-limits.ts'

export interface BatcherMetrics {
  status(status: SyncStatus, tip: number | null): void
  channelClosed(reason: CloseReason, carrier: Carrier, channel: ClosedChannel): void
  transactionSent(carrier: Carrier, bytes: number): void
  pending(transactions: number): void
  throttle(state: ThrottleState): void
  inclusion(l1Head: number, lastIncluded: number | null): void
  restarted(): void
  failed(): void
}

export interface ClosedChannel {
  readonly blocks: number
  readonly rawBytes: number
  readonly bytes: number
  readonly frames: number
  readonly roomBytes: number
}

const FULLNESS_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 1]

export function createBatcherMetrics(metrics: Metrics): BatcherMetrics {
  const head = metrics.gauge('l2_block', 'L2 block number of a head', ['head'])
  const lag = metrics.gauge('unsafe_blocks', 'L2 blocks that are unsafe, batched or not')
  const channels = metrics.counter('channels_total', 'closed channels, by reason', ['reason'])
  const blocks = metrics.counter('batched_blocks_total', 'L2 blocks in closed channels')
  const raw = metrics.counter('channel_input_bytes_total', 'estimated batch bytes before compression')
  const output = metrics.counter('channel_output_bytes_total', 'channel bytes after compression')
  const transactions = metrics.counter('transactions_total', 'L1 transactions sent, by carrier', ['carrier'])
  const posted = metrics.counter('posted_bytes_total', 'bytes sent to L1, by carrier', ['carrier'])
  const pending = metrics.gauge('transactions_pending', 'L1 transactions sent and not settled')
  const frames = metrics.counter('frames_total', 'frames of closed channels, by carrier', ['carrier'])
  const room = metrics.counter('frame_room_bytes_total', 'capacity of these frames in channel bytes, by carrier', ['carrier'])
  const held = metrics.counter('frame_data_bytes_total', 'channel bytes in these frames, by carrier', ['carrier'])
  const fullness = metrics.histogram('channel_fullness', 'share of its frames that a closed channel fills', ['carrier'], FULLNESS_BUCKETS)
  const intensity = metrics.gauge('throttle_intensity', '0 without throttling, 1 at the smallest block size')
  const maxTransaction = metrics.gauge('throttle_max_tx_bytes', 'transaction size limit set at the sequencer, 0 for no limit')
  const maxBlock = metrics.gauge('throttle_max_block_bytes', 'block size limit set at the sequencer, 0 for no limit')
  const waitingBlocks = metrics.gauge('blocks_pending', 'L2 blocks not yet in a channel')
  const inclusionAge = metrics.gauge('last_inclusion_age_blocks', 'L1 blocks since the last transaction of this process')
  const lastInclusion = metrics.gauge('last_inclusion_l1_block', 'L1 block with the last transaction of this process')
  const backlog = metrics.gauge('backlog_bytes', 'estimated bytes not yet posted to L1')
  const throttled = metrics.gauge('throttled', '1 while the sequencer builds smaller blocks')
  const restarts = metrics.counter('restarts_total', 'restarts of batching at the safe head')
  const failures = metrics.counter('step_failures_total', 'steps that failed')
  return {
    status({ unsafeL2, safeL2 }, tip) {
      head.set(unsafeL2.number, { head: 'unsafe' })
      head.set(safeL2.number, { head: 'safe' })
      if (tip !== null) head.set(tip, { head: 'batched' })
      lag.set(Math.max(0, unsafeL2.number - safeL2.number))
      waitingBlocks.set(Math.max(0, unsafeL2.number - (tip ?? safeL2.number)))
    },
    channelClosed(reason, carrier, channel) {
      channels.inc(1, { reason })
      blocks.inc(channel.blocks)
      raw.inc(channel.rawBytes)
      output.inc(channel.bytes)
      frames.inc(channel.frames, { carrier })
      room.inc(channel.roomBytes, { carrier })
      held.inc(channel.bytes, { carrier })
      fullness.observe(channel.bytes / channel.roomBytes, { carrier })
    },
    transactionSent(carrier, bytes) {
      transactions.inc(1, { carrier })
      posted.inc(bytes, { carrier })
    },
    pending: (count) => pending.set(count),
    throttle(state) {
      backlog.set(state.backlogBytes)
      throttled.set(state.intensity > 0 ? 1 : 0)
      intensity.set(state.intensity)
      maxTransaction.set(state.transactionBytes ?? 0)
      maxBlock.set(state.blockBytes ?? 0)
    },
    inclusion(l1Head, lastIncluded) {
      if (lastIncluded === null) return
      lastInclusion.set(lastIncluded)
      inclusionAge.set(Math.max(0, l1Head - lastIncluded))
    },
    restarted: () => restarts.inc(),
    failed: () => failures.inc(),
  }
}
