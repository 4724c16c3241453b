import type { Clock, Logger } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics, Service } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import type { ChainStore } from '../chain/chain-store.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlockImporter } from '../import/block-import.ts'
import type { Senders } from '../senders/senders.ts'
import { createChainSync } from './chain-sync.ts'
import { BlockExecution } from './execute-blocks.ts'
import { createPeerPool } from './peers/peer-pool.ts'
import type { PeerList, SyncPeers } from './ports.ts'
import { ChainRecords } from './records/chain-records.ts'
import { Skeleton } from './skeleton/skeleton.ts'
import { SkeletonStore } from './skeleton/skeleton-store.ts'
import { PivotSync } from './snap/pivot-sync.ts'
import type { SnapPeer } from './snap/ports.ts'
import type { SnapRequestKind } from './snap/snap-requests.ts'
import { syncCheck } from './sync-check.ts'
import { registerSyncMetrics } from './sync-metrics.ts'
import { SyncProgress, type SyncReading } from './sync-progress.ts'
import type { SyncTargets } from './sync-targets.ts'

export interface SyncDependencies {
  readonly mode: 'full' | 'snap'
  readonly peers: SyncPeers
  readonly targets: SyncTargets
  readonly store: KeyValueStore
  readonly chain: ChainStore
  readonly state: StateStore
  readonly rules: ChainRules
  readonly engine: Engine
  readonly importer: BlockImporter
  readonly senders: Senders
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  settled(): Promise<void>
  /** Called when snap sync has fetched a state. */
  onState(): Promise<unknown>
}

export interface Sync extends Service {
  readonly checks: readonly HealthCheck[]
  /** Null while no sync goes on. */
  reading(): SyncReading | null
}

export function openSync(deps: SyncDependencies): Sync {
  const { chain, clock, importer, metrics, store } = deps
  const log = deps.log.child('sync')
  const progress = new SyncProgress({ chain, clock, log })
  const pool = createPeerPool({ peers: deps.peers, clock, log })
  const skeleton = new Skeleton({
    store: new SkeletonStore(store),
    pool,
    chain,
    offered: (hash) => deps.targets.header(hash),
    isInvalid: (hash) => importer.knownInvalid(hash) !== null,
    onHeaders: (segments) => progress.headers(segments),
  })
  const snapPool = deps.mode === 'full' ? null : createPeerPool<SnapPeer, SnapRequestKind>({ peers: snapPeers(deps.peers), clock, log })
  const shared = { ...deps, log, progress, pool, skeleton }
  const records = new ChainRecords(deps)
  const pivotSync = snapPool === null ? null : new PivotSync({ ...shared, records, snapPool })
  const chainSync = createChainSync({ ...shared, pivotSync, execution: new BlockExecution(shared) })
  registerSyncMetrics(metrics, { progress, pools: snapPool === null ? [pool] : [pool, snapPool] })
  return {
    ...chainSync,
    async stop() {
      await chainSync.stop()
      pool.close()
      snapPool?.close()
    },
    checks: [syncCheck({ progress, pool, snapPool, clock })],
    reading: () => progress.reading,
  }
}

function snapPeers(peers: SyncPeers): PeerList<SnapPeer> {
  return { list: () => peers.list().flatMap(({ snap }) => snap ?? []), onChange: (listener) => peers.onChange(listener) }
}
