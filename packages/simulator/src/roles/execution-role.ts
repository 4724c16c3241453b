import { createWasmEngine } from '@keelson/evm'
import {
  createExecutionNode,
  type Database,
  DEFAULT_EXECUTION_OPTIONS,
  type ExecutionNode,
  type ExecutionNodeOptions,
} from '@keelson/execution'
import { openLevelDisk } from '../disk/level-disk.ts'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { type Host, PORTS, server, startParts } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'
import type { MayFail } from './supervised-role.ts'

export interface ExecutionRole extends MayFail {
  readonly node: ExecutionNode
  readonly host: Host
  /** For tasks that run beside the node. */
  readonly database: Database
}

export interface ExecutionSetup {
  readonly chain: RollupNetwork['chain']
  /** Called before requests can reach the node. */
  started(node: ExecutionNode): void
  /** Called when the node has stopped by itself. */
  stopped(node: ExecutionNode): void
}

const HASH_SEED_BYTES = 80

/**
 * Few layers and little history keep the memory of a long run small, and let reorgs reach below the layers, which move to disk in
 * groups of eight. Withdrawals are proven by blocks that are about 500 below the head.
 */
const OPTIONS: ExecutionNodeOptions = {
  ...DEFAULT_EXECUTION_OPTIONS,
  state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 64, maxLayers: 88, historyBlocks: 2_048, cacheBytes: 8 * 2 ** 20 },
}

/** Serves JSON-RPC and the engine API once it resolves. */
export async function startExecution(host: Host, disk: SimulatedDisk, { chain, started, stopped }: ExecutionSetup): Promise<ExecutionRole> {
  const { process, log, metrics, world } = host
  const { crypto } = world
  const node = await createExecutionNode(OPTIONS, {
    chain,
    store: disk.open(process),
    clock: process.clock,
    random: process.random,
    log,
    metrics,
    crypto,
    evm: createWasmEngine({ crypto, hashSeed: process.random.bytes(HASH_SEED_BYTES) }),
  })
  const { stop, failure } = await startParts(host, [
    {
      name: node.name,
      start: (signal) => node.start(signal).then(() => started(node)),
      stop: () => node.stop().then(() => stopped(node)),
    },
    server('engine API', () => [host.serve(PORTS.engine, node.engineMethods), host.offer(PORTS.engine, node)]),
    server('JSON-RPC', () => [host.serve(PORTS.execution, node.methods), host.offer(PORTS.execution, node)]),
  ])
  return { node, host, database: node.database(openLevelDisk(disk, process)), stop, failure }
}
