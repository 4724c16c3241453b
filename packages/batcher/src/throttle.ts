/**
 * Asks the sequencer for smaller blocks while more waits for L1 than the threshold allows, and for blocks of the usual
 * size again when it does not. What the batcher cannot post in time would leave the sequencing window and be lost.
 */
import type { Clock, Logger } from '@keelson/primitives'
import type { BatcherMetrics } from './metrics.ts'
import type { BatcherOptions } from './options.ts'
import type { BlockLimits } from './ports.ts'

export interface Throttle {
  /** `backlogBytes`: what L1 has still to take. Never throws: blocks go on as they are when the sequencer cannot be told. */
  update(backlogBytes: number): Promise<void>
}

export interface ThrottleDependencies {
  /** Null when the batcher was not told whom to ask. */
  readonly limits: BlockLimits | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<BatcherMetrics, 'backlog'>
}

/** An execution client that restarts has no limits: it is told again after this time. */
const REPEAT_MS = 15_000

export function createThrottle(options: BatcherOptions, { limits, clock, log, metrics }: ThrottleDependencies): Throttle {
  const { throttleThresholdBytes, throttleTransactionBytes, throttleBlockBytes, throttleAlwaysBlockBytes } = options
  let throttled = false
  let told: { readonly throttled: boolean; readonly atMs: number } | null = null
  let failure: string | null = null

  const tell = async (): Promise<void> => {
    const always = throttleAlwaysBlockBytes === 0 ? null : throttleAlwaysBlockBytes
    const blockBytes = throttled ? Math.min(throttleBlockBytes, always ?? throttleBlockBytes) : always
    try {
      await limits?.setMaxDaSize(throttled ? throttleTransactionBytes : null, blockBytes)
      told = { throttled, atMs: clock.nowMs() }
      if (failure !== null) log.info('the sequencer takes block limits again')
      failure = null
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== failure) {
        log.warn('the sequencer does not take block limits, so a backlog would only grow; check --throttle.rpc and --jwt-secret', {
          reason,
        })
      }
      failure = reason
    }
  }

  return {
    async update(backlogBytes) {
      const wanted = throttleThresholdBytes > 0 && backlogBytes > throttleThresholdBytes
      metrics.backlog(backlogBytes, wanted)
      if (limits === null || throttleThresholdBytes === 0) return
      if (wanted !== throttled) {
        log[wanted ? 'warn' : 'info'](
          wanted ? 'L1 takes less than there is to post: blocks are kept small' : 'the backlog is gone: blocks have their usual size',
          {
            backlogBytes,
            thresholdBytes: throttleThresholdBytes,
          },
        )
      }
      throttled = wanted
      if (told === null || told.throttled !== throttled || clock.nowMs() - told.atMs >= REPEAT_MS) await tell()
    },
  }
}
