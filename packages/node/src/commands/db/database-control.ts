/** Runs tasks through the control socket of a running node, or directly. */

import { join } from 'node:path'
import type { ForkSchedule } from '@keelson/chainspec'
import {
  DATABASE_TASKS,
  type Database,
  type DatabaseTask,
  opChainRules,
  openDatabase,
  runDatabaseTask,
  selfDestructBurns,
  type TaskContext,
  type TaskParams,
  type TaskProgress,
  type TaskTools,
} from '@keelson/execution'
import { type LevelStore, nextTurn, openLevelStore, readDataIdentity, type Service } from '@keelson/runtime'
import { askControl, connectControl } from '../../control/control-client.ts'
import { createControlServer } from '../../control/control-server.ts'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { openEngine } from '../../evm/open-engine.ts'
import { createSnapshotWriter } from './snapshot-folder.ts'

/** Incremented when older releases cannot read the directory. */
export const DATA_LAYOUT_VERSION = 1

export function createDatabaseControl(dataDir: string, database: Database, { random, log }: Pick<TaskTools, 'random' | 'log'>): Service {
  const tools: TaskTools = { random, log, snapshotFolder: createSnapshotWriter }
  return createControlServer({
    dataDir,
    log,
    async run({ task, params }, { signal, progress }) {
      if (!isTask(task))
        throw new AssemblyError('node/control', `this node knows no task "${task}"; there are ${DATABASE_TASKS.join(', ')}`)
      if (typeof params.historyBlocks === 'number') {
        throw new AssemblyError(
          'node/control',
          'a running node prunes to its own window: start it with the window you want, or stop it and prune then',
        )
      }
      return runDatabaseTask(task, params as TaskParams, database, tools, taskContext(signal, progress))
    },
  })
}

export interface OfflineOptions {
  readonly historyBlocks: number | null
  readonly forks?: ForkSchedule
}

/** Throws the task's errors, RuntimeError, AssemblyError `node/control`. */
export async function runOnDirectory(
  given: string,
  task: DatabaseTask,
  params: TaskParams,
  { historyBlocks, forks }: OfflineOptions,
  tools: TaskTools,
  signal: AbortSignal,
  progress: (report: TaskProgress) => void,
): Promise<unknown> {
  const dataDir = await executionFolder(given)
  const socket = await connectControl(dataDir)
  if (socket !== null) {
    signal.addEventListener('abort', () => socket.destroy(), { once: true })
    const all = historyBlocks === null ? params : { ...params, historyBlocks }
    return askControl(socket, { task, params: { ...all } }, (report) => progress(report as TaskProgress))
  }
  const store = await openDirectory(dataDir)
  try {
    const keepAll = { historyBlocks: historyBlocks ?? Number.POSITIVE_INFINITY, historyBytes: Number.POSITIVE_INFINITY }
    const database = await openDatabase(store, tools.log, keepAll)
    return await runDatabaseTask(
      task,
      params,
      forks === undefined ? database : withRules(database, forks),
      tools,
      taskContext(signal, (report) => progress(report as TaskProgress)),
    )
  } finally {
    await store.close()
  }
}

function withRules(database: Database, forks: ForkSchedule): Database {
  const crypto = createNativeCrypto()
  const parts = { ...database, rules: opChainRules(forks), evm: openEngine('wasm-interpreter', { crypto }), crypto }
  return { ...database, selfDestructBurns: (block, breathe) => selfDestructBurns(parts, block, breathe) }
}

export async function executionFolder(dataDir: string): Promise<string> {
  if ((await readDataIdentity(dataDir)) !== null) return dataDir
  const inside = join(dataDir, 'execution')
  return (await readDataIdentity(inside))?.role === 'execution' ? inside : dataDir
}

export async function openDirectory(dataDir: string): Promise<LevelStore> {
  const identity = await readDataIdentity(dataDir)
  if (identity === null || identity.role !== 'execution') {
    const what = identity === null ? 'holds no data of a node' : `holds data of the ${identity.role} role`
    throw new AssemblyError('node/usage', `${dataDir} ${what}: give the --data-dir of an execution client`)
  }
  if (identity.version > DATA_LAYOUT_VERSION) {
    throw new AssemblyError(
      'node/usage',
      `${dataDir} was written by a newer release (layout ${identity.version}, this one reads up to ${DATA_LAYOUT_VERSION}): run the newer release`,
    )
  }
  return openLevelStore({ directory: join(dataDir, 'chain') })
}

export function taskContext(signal: AbortSignal, report: (progress: TaskProgress) => void): TaskContext {
  return {
    signal,
    report,
    async breathe() {
      await nextTurn()
      if (signal.aborted) throw new AssemblyError('node/control', 'ended before the work was done')
    },
  }
}

function isTask(task: unknown): task is DatabaseTask {
  return (DATABASE_TASKS as readonly unknown[]).includes(task)
}
