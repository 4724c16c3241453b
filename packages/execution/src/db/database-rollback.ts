/** Labels change first, so that after a crash the next start moves the state to the new head. */
import { bytesToHex, type Hash, type Logger, ZERO_HASH } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import { blockAtRange, hashOfBlockAtKey } from '../chain/keys.ts'
import { settleHead } from '../chain/settle-head.ts'
import { ExecutionError } from '../errors.ts'
import type { Database, TaskContext } from './database.ts'

export interface RollbackParams {
  readonly to: number
  readonly force: boolean
}

export interface RollbackResult {
  readonly from: number
  readonly to: number
  readonly hash: Hash
  readonly blocksRemoved: number
}

const BLOCKS_PER_BATCH = 64

/** Throws ExecutionError `execution/rollback-refused`. */
export async function databaseRollback(
  database: Database,
  params: RollbackParams,
  log: Logger,
  context: TaskContext,
): Promise<RollbackResult> {
  return database.alone(() => rollback(database, params, log, context))
}

async function rollback(
  { store, chain, state }: Database,
  { to, force }: RollbackParams,
  log: Logger,
  context: TaskContext,
): Promise<RollbackResult> {
  const head = chain.label('unsafe')
  const finalized = chain.label('finalized').header.number
  const hash = chain.canonicalHash(to)
  if (hash === null || chain.block(hash) === null)
    throw refused(`there is no block ${to} on the chain, whose head is block ${head.header.number}`)
  if (to < finalized && !force) {
    throw refused(`block ${to} is below the finalized block ${finalized}, which is final on L1; use --force to roll back anyway`)
  }
  if (!state.hasState(hash) && (state.oldestHistory === null || to < state.oldestHistory)) {
    throw refused(`the state of block ${to} is pruned; the oldest state is that of block ${state.oldestHistory ?? 'none'}`)
  }
  await chain.setForkchoice({ head: hash, safe: ZERO_HASH, finalized: ZERO_HASH }, { sync: true })
  await settleHead(chain, state, log)
  const reached = chain.label('unsafe')
  await state.dropAbove(reached.header.number)
  let blocksRemoved = 0
  let ops: KeyValueOp[] = []
  for await (const [key] of store.range(...blockAtRange(reached.header.number + 1, Number.MAX_SAFE_INTEGER))) {
    ops.push(...chain.pruneOps(bytesToHex(hashOfBlockAtKey(key)) as Hash))
    if (++blocksRemoved % BLOCKS_PER_BATCH !== 0) continue
    await store.batch(ops)
    ops = []
    context.report({ phase: 'blocks', done: blocksRemoved, of: null, resume: null })
    // From here the rollback cannot be cancelled.
  }
  await store.batch(ops, { sync: true })
  return { from: head.header.number, to: reached.header.number, hash: reached.hash, blocksRemoved }
}

function refused(message: string): ExecutionError {
  return new ExecutionError('execution/rollback-refused', message)
}
