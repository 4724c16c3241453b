import type { Clock, Logger } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics, Service } from '@keelson/runtime'
import type { StateStore } from '@keelson/state'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlockImporter } from '../import/block-import.ts'
import { createChainSync } from './chain-sync.ts'
import { BlockExecution } from './execute-blocks.ts'
import { createPeerPool } from './peers/peer-pool.ts'
import type { SyncPeers } from './ports.ts'
import { Skeleton } from './skeleton/skeleton.ts'
import { SkeletonStore } from './skeleton/skeleton-store.ts'
import { syncCheck } from './sync-check.ts'
import { registerSyncMetrics } from './sync-metrics.ts'
import { SyncProgress, type SyncReading } from './sync-progress.ts'
import type { SyncTargets } from './sync-targets.ts'

export interface SyncDependencies {
  readonly peers: SyncPeers
  readonly targets: SyncTargets
  readonly store: KeyValueStore
  readonly chain: ChainReader
  readonly state: StateStore
  readonly rules: ChainRules
  readonly engine: Engine
  readonly importer: BlockImporter
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  settled(): Promise<void>
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
  const shared = { ...deps, log, progress, pool, skeleton }
  registerSyncMetrics(metrics, { progress, pool })
  return {
    ...createChainSync({ ...shared, execution: new BlockExecution(shared) }),
    checks: [syncCheck({ progress, pool, clock })],
    reading: () => progress.reading,
  }
}
