import type { ExecutionNode } from '@keelson/execution'
import type { Clock } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'

export function registerHeadLag(metrics: Metrics, chain: ExecutionNode['chain'], clock: Pick<Clock, 'nowMs'>, blockTimeSec: number): void {
  metrics.gauge('head_lag_blocks', 'Blocks that are due after the unsafe head', [], () => {
    const ageSec = clock.nowMs() / 1000 - chain.label('unsafe').header.timestampSec
    return Math.max(0, Math.floor(ageSec / blockTimeSec))
  })
}
