import { bytesToHex, type Hash } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import { blockAtRange, hashOfBlockAtKey } from '../chain/keys.ts'
import type { Database, TaskContext } from './database.ts'

export interface PruneResult {
  readonly oldestState: number
  readonly historyBlocksRemoved: number
  readonly blocksRemoved: number
}

const OPS_PER_BATCH = 1_000
const BREATHE_EVERY = 1_000

export async function databasePrune(database: Database, context: TaskContext): Promise<PruneResult> {
  const { chain, state } = database
  const before = state.oldestHistory ?? 0
  for (;;) {
    const moved = await database.alone(() => state.flatten(chain.label('unsafe').hash, chain.label('finalized').header.number))
    if (moved === null) break
    context.report({ phase: 'history', done: (state.oldestHistory ?? 0) - before, of: null, resume: null })
    await context.breathe()
  }
  const blocksRemoved = await removeStrangers(database, context)
  const oldestState = state.oldestHistory ?? 0
  return { oldestState, historyBlocksRemoved: oldestState - before, blocksRemoved }
}

async function removeStrangers({ store, chain }: Database, context: TaskContext): Promise<number> {
  const finalized = chain.label('finalized').header.number
  let [ops, removed, seen]: [KeyValueOp[], number, number] = [[], 0, 0]
  for await (const [key] of store.range(...blockAtRange(0, finalized + 1))) {
    const gone = chain.pruneOps(bytesToHex(hashOfBlockAtKey(key)) as Hash)
    if (gone.length > 0) removed++
    ops.push(...gone)
    if (ops.length >= OPS_PER_BATCH) {
      await store.batch(ops)
      ops = []
    }
    if (++seen % BREATHE_EVERY !== 0) continue
    context.report({ phase: 'blocks beside the chain', done: seen, of: null, resume: null })
    await context.breathe()
  }
  if (ops.length > 0) await store.batch(ops)
  return removed
}
