/** Chain, state, pool and engine over one store. */
import type { SignedTransaction } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import { openStateStore } from '@keelson/state'
import { createBlockBuilder } from '../builder/block-builder.ts'
import { openChain } from '../chain/open-chain.ts'
import { createStateKeeper } from '../chain/state-keeper.ts'
import { createEngine } from '../engine/engine.ts'
import type { ExecutionNodeDependencies } from '../execution-node.ts'
import { createForkStop } from '../fork-stop.ts'
import { HeadFollower } from '../head-follower.ts'
import { createBlockImporter } from '../import/block-import.ts'
import type { ExecutionNodeOptions } from '../options.ts'
import { createSenders } from '../senders/senders.ts'
import { PendingBlocks } from '../subblocks/pending-blocks.ts'
import { SubblockFollower } from '../subblocks/subblock-follower.ts'
import { SyncTargets } from '../sync/sync-targets.ts'
import { authoritiesOfTransaction } from '../txpool/authorities.ts'
import { createPoolJournal } from '../txpool/journal.ts'
import { createPoolHead } from '../txpool/pool-head.ts'
import { createTxPool } from '../txpool/tx-pool.ts'
import type { SyncMode } from './sync-mode.ts'

export type Core = Awaited<ReturnType<typeof openCore>>

const REMEMBERED_SENDERS = 32_768

/** Throws what `openChain` and `settleHead` throw. */
export async function openCore(options: ExecutionNodeOptions, deps: ExecutionNodeDependencies, syncMode: SyncMode) {
  const { chainId, rules } = deps.chain
  const { store, clock, crypto, evm } = deps
  const log = deps.log.child('execution')
  const state = await openStateStore(store, options.state, { breathe: nextTurn })
  const chain = await openChain(store, state, deps.chain, { cachedBlocks: options.cachedBlocks })
  const senders = createSenders(crypto, REMEMBERED_SENDERS, deps.recoveryThreads ?? null)
  const context = { chainId, rules, chain, state, evm, crypto, senders, clock, log }
  const importer = createBlockImporter(options, context, store)
  const keeper = createStateKeeper({ chain, state, store, log, restoreLayer: (block) => importer.restoreLayer(block) })
  // Snap sync completes a state that an earlier process has begun.
  if (syncMode !== 'snap' || !state.downloading) await keeper.settleHead()

  const journal = createPoolJournal(store)
  const head = createPoolHead({ chain, state, rules, chainId, clock })
  const authoritiesOf = (tx: SignedTransaction) => authoritiesOfTransaction(tx, crypto, chainId)
  const pool = createTxPool(options.pool, { head, chainId, senders, authoritiesOf, clock, log: log.child('pool'), journal })
  const pending = new PendingBlocks(log)
  const { listeners, follows } = deps.subblocks ?? { listeners: null, follows: false }
  const builder = createBlockBuilder(options.builder, context, pool, listeners)
  const forkStop = createForkStop(rules, chain, log)
  const follower = new HeadFollower(pool, importer, forkStop, log)
  const { maxTransactionMs } = options.builder
  const subblocks = follows ? new SubblockFollower({ maxTransactionMs }, context, pending, deps.metrics) : null
  if (subblocks !== null) follower.moves.on((move) => subblocks.onMove(move))
  const targets = syncMode === 'none' ? null : new SyncTargets()
  const engine = createEngine({
    ...{ targets, chain, rules, importer, builder, keeper, clock },
    syncWrites: options.syncWrites,
    downloading: () => state.downloading,
    onMove: (move) => follower.follow(move),
  })
  const settled = async () => {
    await engine.idle()
    await follower.idle()
    await keeper.settled()
  }
  return {
    log,
    chainId,
    rules,
    state,
    chain,
    pending,
    subblocks,
    senders,
    importer,
    keeper,
    journal,
    pool,
    builder,
    forkStop,
    follower,
    targets,
    engine,
    settled,
  }
}
