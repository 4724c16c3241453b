import { formatQuantity } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import type { StateCounts, SyncReading } from '../../sync/sync-progress.ts'
import type { Json } from '../block-json.ts'
import type { RpcDependencies } from '../rpc-dependencies.ts'

type SyncDependencies = Pick<RpcDependencies, 'chain' | 'clock' | 'options' | 'syncReading'>

export function syncMethods(deps: SyncDependencies): RpcMethods {
  return { eth_syncing: () => syncing(deps) }
}

/** Without a sync from peers, returns false while the head is recent, and otherwise estimates the highest block from the block time. */
export function syncing({ chain, clock, options, syncReading }: SyncDependencies): false | Json {
  const reading = syncReading?.() ?? null
  if (reading !== null) return readingToJson(reading)
  const { header } = chain.label('unsafe')
  const ageSec = Math.floor(clock.nowMs() / 1000) - header.timestampSec
  if (ageSec <= options.syncedHeadAgeSec) return false
  const parent = chain.header(header.parentHash)
  const blockTimeSec = parent === null ? 2 : Math.max(1, header.timestampSec - parent.timestampSec)
  return {
    startingBlock: formatQuantity(chain.genesis.header.number),
    currentBlock: formatQuantity(header.number),
    highestBlock: formatQuantity(header.number + Math.floor(ageSec / blockTimeSec)),
  }
}

function readingToJson({ stage, startingBlock, currentBlock, highestBlock, stages, state }: SyncReading): Json {
  return {
    startingBlock: formatQuantity(startingBlock),
    currentBlock: formatQuantity(currentBlock),
    highestBlock: formatQuantity(highestBlock),
    stage,
    stages: Object.entries(stages).map(([name, { done, of }]) => ({ name, done: formatQuantity(done), total: formatQuantity(of) })),
    ...(state === null ? {} : stateToJson(state)),
  }
}

/** Names of go-ethereum where they mean the same. */
function stateToJson({ accounts, slots, codes, nodes, phase, pivot }: StateCounts): Json {
  return {
    syncedAccounts: formatQuantity(accounts),
    syncedStorage: formatQuantity(slots),
    syncedBytecodes: formatQuantity(codes),
    healedTrienodes: formatQuantity(nodes),
    healing: phase === 'healing',
    pivotBlock: formatQuantity(pivot),
  }
}
