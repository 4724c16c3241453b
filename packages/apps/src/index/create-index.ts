import type { Clock, Logger } from '@keelson/primitives'
import { createPoller, type Metrics, type Poller, type Service } from '@keelson/runtime'
import type { IndexedChain } from './chain/ports.ts'
import type { TokenCalls } from './chain/token-calls.ts'
import { createFollower, type FollowedChain, type Follower } from './follow/follower.ts'
import { createHolderReader } from './follow/holder-reader.ts'
import { createTokenDescriber } from './follow/token-describer.ts'
import { createL1Store } from './l1/l1-store.ts'
import type { L1IndexBlock, L1Rollup } from './l1/ports.ts'
import { createBlockStore } from './storage/block-store.ts'
import type { Database } from './storage/database.ts'
import { createHolderStore } from './storage/holder-store.ts'
import { createUpkeep } from './storage/upkeep.ts'
import type { GenesisTokens } from './tokens/genesis-tokens.ts'

export interface IndexOptions {
  readonly startBlock: number
  readonly pollIntervalMs: number
}

export interface L1Side {
  readonly chain: FollowedChain<L1IndexBlock>
  readonly rollup: L1Rollup
  readonly startBlock: number
}

export interface IndexDependencies {
  /** Null leaves out batches and deposits. */
  readonly l1: L1Side | null
  readonly chain: IndexedChain
  readonly calls: TokenCalls
  /** Reads the first state; null when no file holds it or it is too large. */
  readonly genesisTokens: () => GenesisTokens | null
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface ChainIndex {
  readonly follower: Follower
  readonly l1Follower: Follower | null
  /** In the order of their start. */
  readonly services: readonly Service[]
}

/** Parts of the chain that are fetched concurrently. */
const PARTS_AT_ONCE = 3
const UPKEEP_INTERVAL_MS = 30_000
/** The server ends the session of a writer that is silent for 10 s. */
const ELECTION_INTERVAL_MS = 1_000

export function createIndex(options: IndexOptions, deps: IndexDependencies): ChainIndex {
  const { chain, l1, database, clock, log, metrics } = deps
  const store = createBlockStore(database)
  const isWriter = () => database.isWriter()
  const shared = { isWriter, clock, log, metrics }
  const polling = { pollIntervalMs: options.pollIntervalMs, partsAtOnce: PARTS_AT_ONCE }
  const follower = createFollower({ ...polling, name: 'L2', startBlock: options.startBlock }, { ...shared, chain, store })
  const l1Follower =
    l1 === null
      ? null
      : createFollower(
          { ...polling, name: 'L1', startBlock: l1.startBlock },
          { ...shared, chain: l1.chain, store: createL1Store(database, l1.rollup) },
        )
  const describer = createTokenDescriber({ chain, store, isWriting: () => follower.writing, clock, log })
  const holders = createHolderReader({
    ...deps,
    store: createHolderStore(database),
    genesisBlock: options.startBlock,
    isWriting: () => follower.writing,
  })
  const upkeep = createUpkeep(database, metrics)
  const onError = (error: unknown) => log.warn('upkeep of the database failed, retrying', { error })
  const upkeepService = repeat('index upkeep', createPoller(upkeep, { clock, intervalMs: UPKEEP_INTERVAL_MS, onError }))
  const campaign = async () => {
    await isWriter()
  }
  // The followers report the errors.
  const election = createPoller(campaign, { clock, intervalMs: ELECTION_INTERVAL_MS, onError: () => undefined })
  const followers = [follower, ...(l1Follower === null ? [] : [l1Follower])]
  return { follower, l1Follower, services: [repeat('index election', election), ...followers, describer, holders, upkeepService] }
}

function repeat(name: string, poller: Poller): Service {
  return { name, failure: poller.failure, start: async () => poller.start(), stop: () => poller.stop() }
}
