import type { Metrics } from '@keelson/runtime'
import type { PeerPool } from './peers/peer-pool.ts'
import type { SyncProgress, SyncReading } from './sync-progress.ts'

export function registerSyncMetrics(
  metrics: Metrics,
  { progress, pools }: { readonly progress: Pick<SyncProgress, 'reading'>; readonly pools: readonly Pick<PeerPool, 'faults'>[] },
): void {
  const stages = (count: 'done' | 'of') => () => {
    const { reading } = progress
    return reading === null ? [] : Object.entries(reading.stages).map(([stage, counts]) => [{ stage }, counts[count]] as const)
  }
  const reading = (value: (of: SyncReading) => number) => () => (progress.reading === null ? 0 : value(progress.reading))
  metrics.gauge(
    'sync_active',
    '1 while blocks are fetched from peers',
    [],
    reading(() => 1),
  )
  metrics.gauge(
    'sync_target_number',
    'Number of the block that sync fetches up to; 0 without a sync',
    [],
    reading(({ highestBlock }) => highestBlock),
  )
  metrics.gauge('sync_stage_done', 'Headers, blocks or accounts done by the current sync', ['stage'], stages('done'))
  metrics.gauge('sync_stage_total', 'Headers, blocks or accounts of the current sync; accounts are estimated', ['stage'], stages('of'))
  metrics.gauge('sync_state_received', 'Parts of the state that snap sync has fetched since the start', ['kind'], () => {
    const state = progress.reading?.state ?? null
    if (state === null) return []
    const { accounts, slots, codes, nodes } = state
    return Object.entries({ accounts, slots, codes, nodes }).map(([kind, count]) => [{ kind }, count] as const)
  })
  metrics.gauge(
    'sync_peer_faults',
    'Responses of peers to sync since the start that were invalid, missing, late or without the data',
    ['fault'],
    () =>
      (['invalid', 'silent', 'useless'] as const).map(
        (fault) => [{ fault }, pools.reduce((sum, { faults }) => sum + faults[fault], 0)] as const,
      ),
  )
}
