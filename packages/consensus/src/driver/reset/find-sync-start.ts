import type { RollupConfig } from '@keelson/chainspec'
import { type BlockId, inclusionTime, type L1BlockRef, type L2BlockRef, type SystemConfig } from '@keelson/primitives'
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { describeBlock } from '../../blocks/l2-heads.ts'
import { ConsensusError } from '../../errors.ts'
import { originState, type RecordedSafeHeadDependencies, recordedSafeHead } from './recorded-safe-head.ts'

export interface SyncStart {
  readonly heads: L2Heads
  /** The L1 block a channel timeout before the safe head's origin. */
  readonly l1Origin: L1BlockRef
  readonly systemConfig: SystemConfig
  /** True if no known safe block was lost. */
  readonly continues: boolean
  readonly safeFrom: 'record' | 'engine'
}

export interface SyncStartDependencies extends RecordedSafeHeadDependencies {
  readonly config: RollupConfig
  readonly allowFinalizedReorg: boolean
}

/**
 * Finds where derivation (re)starts. L1 reorgs replace the origins of all L2 blocks from some height on, so each search bisects.
 * specs: protocol/derivation.md#finding-the-sync-starting-point Throws ConsensusError: `consensus/wrong-l1`,
 * `consensus/wrong-l2`, `consensus/l1-reorg-below-finalized` (critical), `consensus/l1-unavailable`, `consensus/l2-block-missing`
 * (temporary).
 */
export async function findSyncStart(deps: SyncStartDependencies): Promise<SyncStart> {
  await assertSameGenesis(deps)
  const engine = await engineHeads(deps)
  const unsafe = await plausibleHead(deps, engine.unsafe, engine.finalized)
  const finalizedStands = unsafe.number >= engine.finalized.number
  if (!finalizedStands && !deps.allowFinalizedReorg) throw finalizedReorg(engine.finalized)
  const floor = finalizedStands ? engine.finalized : await deps.l2.get(deps.config.genesis.l2.hash)
  const { safe, continues, recorded } = await safeStart(deps, unsafe, lower(engine.safe, unsafe), floor)
  const finalized = lower(engine.finalized, safe)
  const base = await pipelineBase(deps, safe)
  await deps.walk.end()
  return {
    heads: { unsafe, pendingSafe: safe, safe, finalized },
    ...base,
    continues: continues && unsafe.number === engine.unsafe.number,
    safeFrom: recorded ? 'record' : 'engine',
  }
}

function lower(a: L2BlockRef, b: L2BlockRef): L2BlockRef {
  return a.number <= b.number ? a : b
}

async function assertSameGenesis({ config, l1, l2 }: SyncStartDependencies): Promise<void> {
  const { genesis } = config
  const l1Genesis = await l1.blockRef(genesis.l1.number)
  if (l1Genesis === null) {
    throw new ConsensusError(
      'consensus/l1-unavailable',
      'temporary',
      `L1 has no block ${genesis.l1.number}, where the rollup begins; wait for L1 to sync`,
    )
  }
  if (l1Genesis.hash !== genesis.l1.hash) {
    throw new ConsensusError(
      'consensus/wrong-l1',
      'critical',
      `L1 block ${genesis.l1.number} is ${l1Genesis.hash}, the rollup configuration expects ${genesis.l1.hash}; point the node at the right L1, or use the configuration of this one`,
      { expected: genesis.l1.hash, got: l1Genesis.hash },
    )
  }
  if ((await l2.find(genesis.l2.hash)) !== null) return
  throw new ConsensusError(
    'consensus/wrong-l2',
    'critical',
    `the execution client does not know the L2 genesis block ${genesis.l2.hash}; its data directory belongs to another chain`,
    { expected: genesis.l2.hash },
  )
}

async function engineHeads({
  config,
  l2,
}: SyncStartDependencies): Promise<{ unsafe: L2BlockRef; safe: L2BlockRef; finalized: L2BlockRef }> {
  const unsafe = await l2.get('unsafe')
  const finalized = (await l2.find('finalized')) ?? (await l2.get(config.genesis.l2.hash))
  const safe = (await l2.find('safe')) ?? finalized
  // an engine may have been rewound below its own labels
  return { unsafe, safe: lower(safe, unsafe), finalized: lower(finalized, unsafe) }
}

async function plausibleHead(deps: SyncStartDependencies, unsafe: L2BlockRef, finalized: L2BlockRef): Promise<L2BlockRef> {
  if ((await originState(deps, unsafe.l1Origin)) === 'canonical') return unsafe
  const canonical = async (block: L2BlockRef) => (await originState(deps, block.l1Origin)) === 'canonical'
  const bottom = (await canonical(finalized)) ? finalized : await deps.l2.get(deps.config.genesis.l2.number)
  const highest = await highestWhere(deps, bottom, unsafe, canonical)
  if (highest.number === unsafe.number) return unsafe
  const next = await deps.l2.get(highest.number + 1)
  const state = await originState(deps, next.l1Origin)
  if (state === 'canonical') throw inconsistentL1(next.l1Origin)
  return state === 'ahead' ? unsafe : highest
}

/** The block `low` must satisfy the condition. */
async function highestWhere(
  deps: SyncStartDependencies,
  low: L2BlockRef,
  high: L2BlockRef,
  test: (block: L2BlockRef) => boolean | Promise<boolean>,
): Promise<L2BlockRef> {
  let holds = low
  let failsAt = high.number + 1
  while (failsAt - holds.number > 1) {
    const middle = await deps.l2.get(holds.number + ((failsAt - holds.number) >> 1))
    if (await test(middle)) holds = middle
    else failsAt = middle.number
  }
  return holds
}

interface SafeStart {
  readonly safe: L2BlockRef
  readonly continues: boolean
  readonly recorded: boolean
}

async function safeStart(deps: SyncStartDependencies, unsafe: L2BlockRef, engineSafe: L2BlockRef, floor: L2BlockRef): Promise<SafeStart> {
  const genesisNumber = deps.config.genesis.l2.number
  const { block: recorded, reorged, newest } = await recordedSafeHead(deps, unsafe)
  if (recorded !== null && recorded.number >= floor.number) return { safe: recorded, continues: newest, recorded: true }
  // no block was ever safe, so none can be lost
  const young = newest && engineSafe.number === genesisNumber && unsafe.number > genesisNumber
  const from = (safe: L2BlockRef): SafeStart => ({ safe, continues: young, recorded: false })
  if (reorged && floor.number > genesisNumber) {
    // L1 still has the finalized block's origin, but no longer the batch it was derived from
    if (!deps.allowFinalizedReorg) throw finalizedReorg(floor)
    return from(recorded ?? (await deps.l2.get(genesisNumber)))
  }
  // without a record, a block is safe if a sequencing window above its origin is unchanged
  const window = deps.config.sequencingWindowL1Blocks
  const oldEnough = (block: L2BlockRef) => block.l1Origin.number + window < unsafe.l1Origin.number
  if (engineSafe.number <= floor.number || !oldEnough(floor)) return from(floor)
  const old = await highestWhere(deps, floor, engineSafe, oldEnough)
  const beforeEpoch = old.number - old.sequenceNumber - 1
  return from(beforeEpoch <= floor.number ? floor : await deps.l2.get(beforeEpoch))
}

async function pipelineBase(deps: SyncStartDependencies, safe: L2BlockRef): Promise<{ l1Origin: L1BlockRef; systemConfig: SystemConfig }> {
  const { config, l2 } = deps
  const safeOrigin = await getOrigin(deps, safe.l1Origin)
  const timeout = config.forks.inclusionRules(inclusionTime(safeOrigin)).channelTimeoutL1Blocks
  const oldest = Math.max(safe.l1Origin.number - timeout, config.genesis.l1.number)
  const genesis = await l2.get(config.genesis.l2.number)
  const base = await highestWhere(deps, genesis, safe, (block) => block.l1Origin.number <= oldest)
  return { l1Origin: await getOrigin(deps, base.l1Origin), systemConfig: await l2.systemConfigAt(base) }
}

async function getOrigin({ l1, walk }: SyncStartDependencies, origin: BlockId): Promise<L1BlockRef> {
  const block = await l1.blockRef(origin.number)
  if (block?.hash === origin.hash) return block
  await walk.end()
  throw new ConsensusError(
    'consensus/l1-unavailable',
    'temporary',
    `L1 changed while looking for a start: block ${describeBlock(origin)} is gone`,
  )
}

/** A node behind the same URL lags, and counted as a reorg its answer would replace blocks that peers have from this node. */
function inconsistentL1(origin: BlockId): ConsensusError {
  return new ConsensusError(
    'consensus/l1-unavailable',
    'temporary',
    `L1 has block ${describeBlock(origin)}, but did not know it a moment before; wait until all nodes behind its URL are synced`,
  )
}

function finalizedReorg(finalized: L2BlockRef): ConsensusError {
  return new ConsensusError(
    'consensus/l1-reorg-below-finalized',
    'critical',
    `the finalized L2 block ${describeBlock(finalized)} no longer follows from L1: its origin ${describeBlock(finalized.l1Origin)} or the batch it came from was replaced; check that L1 is the right chain and healthy, then see the option that allows reorgs below finality`,
    { l2: finalized.hash, l1: finalized.l1Origin.hash },
  )
}
