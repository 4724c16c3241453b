/** The forks that are still to come, as a metric: an operator's alarm before one that this node could not cross. */
import { FORKS, type ForkSchedule } from '@keelson/chainspec'
import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

/** `fork_activates_in_seconds`, by fork; one that is active or not scheduled has no value. */
export function registerForkCountdown(metrics: Metrics, forks: ForkSchedule, clock: Pick<Clock, 'nowMs'>): void {
  metrics.gauge('fork_activates_in_seconds', 'Seconds until a scheduled fork activates, by fork', ['fork'], () => {
    const nowSec = clock.nowMs() / 1000
    return FORKS.flatMap((fork) => {
      const timeSec = forks.activationTimeSec(fork)
      return timeSec !== null && timeSec > nowSec ? [[{ fork }, Math.ceil(timeSec - nowSec)] as const] : []
    })
  })
}
