import type { Clock, Logger } from '@keelson/primitives'
import { createPoller, type Metrics, type Service } from '@keelson/runtime'
import type { IndexedChain } from './chain/ports.ts'
import { createFollower, type Follower } from './follow/follower.ts'
import { createTokenDescriber } from './follow/token-describer.ts'
import { createBlockStore } from './storage/block-store.ts'
import type { Database } from './storage/database.ts'
import { createUpkeep } from './storage/upkeep.ts'

export interface IndexOptions {
  readonly startBlock: number
  readonly pollIntervalMs: number
}

export interface IndexDependencies {
  readonly chain: IndexedChain
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface ChainIndex {
  readonly follower: Follower
  /** In the order of their start. */
  readonly services: readonly Service[]
}

/** Parts of the chain that are fetched concurrently. */
const PARTS_AT_ONCE = 3
const UPKEEP_INTERVAL_MS = 30_000

export function createIndex(options: IndexOptions, { chain, database, clock, log, metrics }: IndexDependencies): ChainIndex {
  const store = createBlockStore(database)
  const isWriter = () => database.isWriter()
  const follower = createFollower({ ...options, partsAtOnce: PARTS_AT_ONCE }, { chain, store, isWriter, clock, log, metrics })
  const describer = createTokenDescriber({ chain, store, isWriting: () => follower.writing, clock, log })
  const upkeep = createUpkeep(database, metrics)
  const poller = createPoller(upkeep, {
    clock,
    intervalMs: UPKEEP_INTERVAL_MS,
    onError: (error) => log.warn('upkeep of the database failed, retrying', { error }),
  })
  const upkeepService: Service = {
    name: 'index upkeep',
    failure: poller.failure,
    start: async () => poller.start(),
    stop: () => poller.stop(),
  }
  return { follower, services: [follower, describer, upkeepService] }
}
