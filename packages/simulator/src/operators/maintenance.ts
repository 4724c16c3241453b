/** What operators do with the database of an execution client by `keelson db`, while the node runs or is stopped. */
import {
  importSnapshot,
  openDatabase,
  type PruneResult,
  runDatabaseTask,
  type SnapshotManifest,
  type TaskContext,
} from '@keelson/execution'
import { type Hash, type Header, l2Time } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'
import { openLevelDisk } from '../disk/level-disk.ts'
import { openRollup } from '../roles/direct-ports.ts'
import { isExpectedFailure } from '../roles/expected-failure.ts'
import { createHost, type Host, type SimulatedWorld } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import type { SimulatedNode } from '../roles/simulated-node.ts'

/** A snapshot in memory, where production has a folder. */
export interface Snapshot {
  readonly manifest: SnapshotManifest
  readonly chunks: ReadonlyMap<string, Uint8Array>
}

export interface OfflineWork {
  /** Called before each try, while no process uses the disks. */
  prepare(): void
  run(host: Host): Promise<void>
}

const POLL_MS = 1_000
const RETRY_MS = 5_000
const CONTEXT: TaskContext = { signal: new AbortController().signal, report: () => undefined, breathe: nextTurn }

/** Removes history that is older than `historyBlocks` from a stopped node, and checks what is left. */
export function pruneOffline(node: SimulatedNode, historyBlocks: number): OfflineWork {
  return {
    prepare: () => undefined,
    async run(host) {
      const { process, log } = host
      const keep = { historyBlocks, historyBytes: Number.POSITIVE_INFINITY }
      const database = await openDatabase(openLevelDisk(node.disks.execution, process), log, keep)
      const tools = { random: process.random, log, snapshotFolder: noFolder }
      const { oldestState } = (await runDatabaseTask('prune', {}, database, tools, CONTEXT)) as PruneResult
      node.oldestState = oldestState
      await verify(database, tools)
    },
  }
}

/** As a running node prunes itself when its operator asks for it. Does nothing if it does not run. */
export function pruneOnline(node: SimulatedNode, world: SimulatedWorld): void {
  workOnline(node, world, 'prune', async ({ host: { process, log }, database }) => {
    const tools = { random: process.random, log, snapshotFolder: noFolder }
    await runDatabaseTask('prune', {}, database, tools, CONTEXT)
    await verify(database, tools)
  })
}

/** Takes a snapshot of a running node. `done` is not called if it ends before. */
export function exportOnline(node: SimulatedNode, world: SimulatedWorld, done: (snapshot: Snapshot) => void): void {
  const chunks = new Map<string, Uint8Array>()
  const snapshotFolder = () => ({
    write: async (file: string, _: string, bytes: Uint8Array) => void chunks.set(file, bytes),
    finish: async (manifest: SnapshotManifest) => done({ manifest, chunks }),
  })
  workOnline(node, world, 'export', async ({ host: { process, log }, database }) => {
    await runDatabaseTask('export', { out: 'memory' }, database, { random: process.random, log, snapshotFolder }, CONTEXT)
  })
}

type RunningExecution = NonNullable<SimulatedNode['execution']>

/** Runs the work in the process of the execution client, if that runs. */
function workOnline(
  node: SimulatedNode,
  { simulation }: SimulatedWorld,
  name: string,
  work: (execution: RunningExecution) => Promise<void>,
): void {
  const { execution } = node
  if (execution === null) return
  const { process } = execution.host
  process.after(0, name, () => {
    work(execution).catch((error: unknown) => {
      if (process.alive && !node.damaged && !isExpectedFailure(error)) simulation.fail(error)
    })
  })
}

/** Replaces what a stopped node has by a snapshot whose output root `source` confirms. */
export function restoreFromSnapshot(
  node: SimulatedNode,
  { config, chain }: RollupNetwork,
  { manifest, chunks }: Snapshot,
  source: string,
): OfflineWork {
  const rootInHeader = ({ timestampSec }: Header) => config.forks.blockRules(l2Time(timestampSec)).withdrawals === 'storage-root'
  return {
    prepare: () => node.clearDisks(manifest.blockNumber),
    async run(host) {
      const { process, log, world } = host
      const { crypto } = world
      const outputRoot = await askForOutputRoot(host, source, manifest.blockNumber)
      const store = openLevelDisk(node.disks.execution, process)
      const genesis = { hash: config.genesis.l2.hash, header: chain.genesis.header }
      const read = async (file: string) => chunks.get(file) as Uint8Array
      await importSnapshot({ store, manifest, chainId: config.l2ChainId, genesis, outputRoot, rootInHeader, crypto, read }, CONTEXT)
      const tools = { random: process.random, log, snapshotFolder: noFolder }
      await verify(await openDatabase(store, log), tools)
    },
  }
}

/** Asks until an answer comes. */
async function askForOutputRoot(host: Host, machine: string, number: number): Promise<Hash> {
  for (;;) {
    const output = await openRollup(host, machine)
      .outputAtBlock(number)
      .catch(() => null)
    if (output !== null) return output.outputRoot
    await host.process.clock.sleep(RETRY_MS)
  }
}

/** Runs the work once the node is down, again after a loss of power and a full disk, and then calls `done`. */
export function workOffline(world: SimulatedWorld, node: SimulatedNode, { prepare, run }: OfflineWork, done: () => void): void {
  const { simulation, network } = world
  const disk = node.disks.execution
  const later = (ms: number) => void simulation.after(ms, null, `work on ${node.name}`, attempt)
  const attempt = () => {
    if (!node.isDown || !network.hasPower(node.name) || node.damaged) return later(POLL_MS)
    prepare()
    const host = createHost(world, node.name, 'db')
    const { process } = host
    const cancelRetry = process.onKill(() => later(RETRY_MS))
    disk.onDisturbed = () => process.kill()
    process.after(0, 'start', () => {
      run(host).then(
        () => {
          disk.onDisturbed = null
          cancelRetry()
          process.kill()
          done()
        },
        (error: unknown) => (isExpectedFailure(error) ? process.kill() : simulation.fail(error)),
      )
    })
  }
  attempt()
}

async function verify(...[database, tools]: [Parameters<typeof runDatabaseTask>[2], Parameters<typeof runDatabaseTask>[3]]): Promise<void> {
  const { ok, problems } = (await runDatabaseTask('verify', {}, database, tools, CONTEXT)) as { ok: boolean; problems: readonly string[] }
  if (!ok) throw new Error(`db verify: ${problems[0]}`)
}

function noFolder(): never {
  throw new Error('this work writes no snapshot')
}
