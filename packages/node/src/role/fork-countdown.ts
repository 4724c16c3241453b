import type { RollupConfig } from '@keelson/chainspec'
import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

/** Allows alerts before a fork that this node does not implement. */
export function registerForkCountdown(
  metrics: Metrics,
  config: Pick<RollupConfig, 'forks' | 'firstUnsupportedFork'>,
  clock: Pick<Clock, 'nowMs'>,
): void {
  metrics.gauge('fork_activates_in_seconds', 'Seconds until a scheduled fork activates, by fork', ['fork'], () => {
    const nowSec = clock.nowMs() / 1000
    const { forks, firstUnsupportedFork: unsupported } = config
    const times = forks.lineage.map((fork) => [fork as string, forks.activationTimeSec(fork)] as const)
    if (unsupported !== null) times.push([unsupported.name, unsupported.timeSec])
    return times.flatMap(([fork, timeSec]) =>
      timeSec !== null && timeSec > nowSec ? [[{ fork }, Math.ceil(timeSec - nowSec)] as const] : [],
    )
  })
}
