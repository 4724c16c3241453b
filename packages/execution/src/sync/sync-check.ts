import type { Clock } from '@keelson/primitives'
import type { HealthCheck } from '@keelson/runtime'
import type { PeerPool } from './peers/peer-pool.ts'
import type { SnapPool } from './snap/snap-requests.ts'
import type { SyncProgress, SyncReading, SyncStage } from './sync-progress.ts'

export interface SyncCheckDependencies {
  readonly progress: Pick<SyncProgress, 'reading'>
  readonly pool: Pick<PeerPool, 'waitingSinceMs' | 'peerCount'>
  /** Peers that serve states; null without snap sync. */
  readonly snapPool: Pick<SnapPool, 'waitingSinceMs' | 'peerCount'> | null
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Shorter waits are usual, between two requests or while peers connect. */
const PATIENCE_MS = 30_000

export function syncCheck({ progress, pool, snapPool, clock }: SyncCheckDependencies): HealthCheck {
  const waitOf = (one: Pick<PeerPool, 'waitingSinceMs'>) => {
    const waitedMs = one.waitingSinceMs === null ? 0 : clock.nowMs() - one.waitingSinceMs
    return waitedMs < PATIENCE_MS ? null : `for ${Math.floor(waitedMs / 1000)} s`
  }
  return {
    name: 'sync',
    check() {
      const { reading } = progress
      const statePeers = snapPool !== null && waitOf(snapPool) !== null ? snapPool : null
      const since = waitOf(statePeers ?? pool)
      if (since !== null && pool.peerCount === 0) {
        return {
          ok: false,
          reason: `sync has waited for peers ${since}, and none is connected`,
          remedy:
            'name peers with --p2p.static, and check that the port of the execution network is open; or follow L1 alone with --syncmode consensus-layer of the consensus client',
        }
      }
      if (since !== null && statePeers !== null) {
        return {
          ok: false,
          reason: `none of ${pool.peerCount} peers, ${statePeers.peerCount} of them with snap/1, has served the state that sync has asked for ${since}`,
          remedy:
            'connect to peers that speak snap/1 and hold the states of the newest 128 blocks, or start with an empty data directory and --syncmode full',
        }
      }
      if (since !== null) {
        return {
          ok: false,
          reason: `none of ${pool.peerCount} peers has the blocks that sync has asked for ${since}`,
          remedy: 'wait for other peers, or check that the consensus client follows the right chain',
        }
      }
      return { ok: true, detail: reading === null ? 'no sync is under way' : describe(reading) }
    },
  }
}

const WORK: Readonly<Record<SyncStage, string>> = {
  headers: 'fetches headers',
  records: 'fetches blocks and receipts',
  state: 'fetches the state',
  blocks: 'fetches and executes blocks',
}

function describe({ stage, stages, state, highestBlock }: SyncReading): string {
  const { done = 0, of = 0 } = stages[stage] ?? {}
  if (stage !== 'state') return `${WORK[stage]}: ${done} of ${of}, up to block ${highestBlock}`
  return `${WORK.state} of block ${state?.pivot}: ${done} accounts of about ${of}`
}
