/** Parameters and results are JSON. */
import type { Logger, Random } from '@keelson/primitives'
import { BUCKETS } from '@keelson/state'
import { CHAIN_BUCKETS } from '../chain/keys.ts'
import { ExecutionError } from '../errors.ts'
import type { Database, TaskContext } from './database.ts'
import { databasePrune } from './database-prune.ts'
import { databaseRollback } from './database-rollback.ts'
import { databaseStats } from './database-stats.ts'
import { databaseSupply, type SupplyParams } from './database-supply.ts'
import { databaseVerify } from './database-verify.ts'
import { exportSnapshot, type SnapshotWriter } from './snapshot/export-snapshot.ts'

export const DATABASE_TASKS = ['stats', 'verify', 'supply', 'prune', 'compact', 'rollback', 'export'] as const
export type DatabaseTask = (typeof DATABASE_TASKS)[number]

export interface TaskTools {
  readonly random: Random
  readonly log: Logger
  snapshotFolder(path: string): SnapshotWriter
}

export interface TaskParams {
  readonly full?: boolean
  readonly resume?: string | null
  readonly to?: number
  readonly force?: boolean
  readonly out?: string
  readonly blocks?: number
  readonly supply?: SupplyParams
}

export interface ExportResult {
  readonly folder: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly oldestBlock: number
  readonly chunks: number
  readonly bytes: number
}

/** A consensus client may need the blocks of one channel lifetime before the finalized block. */
const DEFAULT_EXPORTED_BLOCKS = 8_192

export async function runDatabaseTask(
  task: DatabaseTask,
  params: TaskParams,
  database: Database,
  tools: TaskTools,
  context: TaskContext,
): Promise<unknown> {
  if (task !== 'stats' && task !== 'compact' && database.state.downloading) {
    throw new ExecutionError(
      'execution/half-state',
      `the state is being fetched from peers, and ${task} needs all of it: run it again when eth_syncing is false`,
    )
  }
  switch (task) {
    case 'stats':
      return databaseStats(database, context)
    case 'verify':
      return databaseVerify(database, { full: params.full === true, resume: params.resume ?? null }, tools.random, context)
    case 'supply':
      return databaseSupply(database, params.supply ?? {}, context)
    case 'prune':
      return databasePrune(database, context)
    case 'compact':
      return compact(database, context)
    case 'export': {
      const { out: folder = '', blocks = DEFAULT_EXPORTED_BLOCKS } = params
      const { blockNumber, blockHash, oldestBlock, chunks } = await exportSnapshot(
        database,
        { blocks },
        tools.snapshotFolder(folder),
        context,
      )
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0)
      return { folder, blockNumber, blockHash, oldestBlock, chunks: chunks.length, bytes } satisfies ExportResult
    }
    case 'rollback': {
      const { to } = params
      if (!Number.isSafeInteger(to) || (to as number) < 0)
        throw new ExecutionError('execution/rollback-refused', 'give the number of a block: --to N')
      return databaseRollback(database, { to: to as number, force: params.force === true }, tools.log, context)
    }
  }
}

async function compact({ store }: Database, context: TaskContext): Promise<{ readonly beforeBytes: number; readonly afterBytes: number }> {
  const buckets = [...Object.entries(BUCKETS), ...Object.entries(CHAIN_BUCKETS)]
  const size = () => store.approximateBytes(Uint8Array.of(0), Uint8Array.of(0xff))
  const beforeBytes = await size()
  for (const [i, [name, bucket]] of buckets.entries()) {
    await store.compact(Uint8Array.of(bucket), Uint8Array.of(bucket + 1))
    context.report({ phase: name, done: i + 1, of: buckets.length, resume: null })
    await context.breathe()
  }
  return { beforeBytes, afterBytes: await size() }
}
