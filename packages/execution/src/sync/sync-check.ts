import type { Clock } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'
import type { PeerPool } from './peers/peer-pool.ts'
import type { SyncProgress } from './sync-progress.ts'

export interface SyncCheckDependencies {
  readonly progress: Pick<SyncProgress, 'reading'>
  readonly pool: Pick<PeerPool, 'waitingSinceMs' | 'peerCount'>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Shorter waits are usual, between two requests or while peers connect. */
const PATIENCE_MS = 30_000

export function syncCheck({ progress, pool, clock }: SyncCheckDependencies): HealthCheck {
  return {
    name: 'sync',
    check() {
      const { waitingSinceMs, peerCount } = pool
      if (waitingSinceMs !== null && clock.nowMs() - waitingSinceMs >= PATIENCE_MS) {
        const since = `for ${Math.floor((clock.nowMs() - waitingSinceMs) / 1000)} s`
        return peerCount === 0
          ? {
              ok: false,
              reason: `sync has waited for peers ${since}, and none is connected`,
              remedy:
                'name peers with --p2p.static, and check that the port of the execution network is open; or follow L1 alone with --syncmode consensus-layer of the consensus client',
            }
          : {
              ok: false,
              reason: `none of ${peerCount} peers has the blocks that sync has asked for ${since}`,
              remedy: 'wait for other peers, or check that the consensus client follows the right chain',
            }
      }
      const { reading } = progress
      if (reading === null) return { ok: true, detail: 'nothing to fetch' }
      const { done, of } = reading.stages[reading.stage]
      return { ok: true, detail: `fetches ${reading.stage}: ${done} of ${of}, up to block ${reading.highestBlock}` }
    },
  }
}
