/** Limits block size during a backlog: blocks that miss the sequencing window are lost. */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import type { BatcherMetrics } from './metrics.ts'
import type { BlockLimits } from './ports.ts'
import { limitsAt, type ThrottleState, throttleIntensity } from './throttle-limits.ts'
import type { ThrottleController, ThrottleOptions } from './throttle-options.ts'

export interface Throttle {
  /** Never throws. If the sequencer does not answer, its limits stay unchanged. */
  update(backlogBytes: number): Promise<void>
  controller: ThrottleController
  readonly state: ThrottleState
}

export interface ThrottleDependencies {
  readonly limits: BlockLimits | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<BatcherMetrics, 'throttle'>
}

/** Limits are sent again this often, because a restarted execution client loses them. */
const REPEAT_MS = 15_000

export function createThrottle(options: ThrottleOptions, { limits, clock, log, metrics }: ThrottleDependencies): Throttle {
  let controller = options.throttleController
  let state: ThrottleState = { backlogBytes: 0, intensity: 0, ...limitsAt(0, options) }
  let applied: { readonly state: ThrottleState; readonly atMs: number } | null = null
  let failure: string | null = null

  const apply = async (): Promise<void> => {
    const applying = state
    try {
      await limits?.setMaxDaSize(applying.transactionBytes, applying.blockBytes)
      applied = { state: applying, atMs: clock.nowMs() }
      if (failure !== null) log.info('the sequencer accepts block limits again')
      failure = null
    } catch (error) {
      const reason = messageOf(error)
      if (reason !== failure) {
        log.warn('the sequencer rejects block limits, so the backlog may grow; check --throttle.rpc and --jwt-secret', {
          reason,
        })
      }
      failure = reason
    }
  }

  const isApplied = () =>
    applied !== null &&
    applied.state.transactionBytes === state.transactionBytes &&
    applied.state.blockBytes === state.blockBytes &&
    clock.nowMs() - applied.atMs < REPEAT_MS

  return {
    get controller() {
      return controller
    },
    set controller(next) {
      controller = next
    },
    get state() {
      return state
    },
    async update(backlogBytes) {
      const before = state.intensity
      const intensity = throttleIntensity(controller, backlogBytes, options)
      state = { backlogBytes, intensity, ...limitsAt(intensity, options) }
      metrics.throttle(state)
      if (limits === null || options.throttleLowerThresholdBytes === 0) return
      if (before > 0 !== intensity > 0) {
        log[intensity > 0 ? 'warn' : 'info'](
          intensity > 0 ? 'the backlog for L1 is too large: limiting block size' : 'the backlog is gone: block size limits are lifted',
          { backlogBytes, thresholdBytes: options.throttleLowerThresholdBytes },
        )
      }
      if (!isApplied()) await apply()
    },
  }
}
