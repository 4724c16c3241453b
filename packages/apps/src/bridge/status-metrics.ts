import type { Metrics } from '@keelson/runtime'

export interface StatusMetrics {
  open(openCount: number, stuckCount: number): void
  settled(state: string, elapsedSec: number): void
}

export function createStatusMetrics(metrics: Metrics, lagBlocks: () => number): StatusMetrics {
  metrics.gauge('index_lag_blocks', 'L1 blocks between the index and the head of L1', [], lagBlocks)
  const open = metrics.gauge('deposits_open', 'L1 transactions with deposits that are not final on L2')
  const stuck = metrics.gauge('deposits_stuck', 'Recently checked deposits that have been open for 30 minutes')
  const count = metrics.counter('deposits_settled', 'L1 transactions whose deposits are settled', ['state'])
  const seconds = metrics.histogram(
    'deposit_seconds',
    'From the L1 block to the state complete or failed, in seconds',
    [],
    [5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600],
  )
  return {
    open(openCount, stuckCount) {
      open.set(openCount)
      stuck.set(stuckCount)
    },
    settled(state, elapsedSec) {
      count.inc(1, { state })
      seconds.observe(elapsedSec)
    },
  }
}
