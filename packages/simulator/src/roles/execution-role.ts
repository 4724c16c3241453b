import { createWasmEngine } from '@keelson/evm'
import { createExecutionNode, DEFAULT_EXECUTION_OPTIONS, type ExecutionNode, type ExecutionNodeOptions } from '@keelson/execution'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { type Host, PORTS } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'

const HASH_SEED_BYTES = 80

/**
 * Few layers and little history keep the memory of a long run small, and let reorgs reach below the layers. Withdrawals are proven
 * by blocks that are about 500 below the head.
 */
const OPTIONS: ExecutionNodeOptions = {
  ...DEFAULT_EXECUTION_OPTIONS,
  state: { ...DEFAULT_EXECUTION_OPTIONS.state, keepLayers: 16, maxLayers: 96, historyBlocks: 2_048, cacheBytes: 8 * 2 ** 20 },
}

/** Serves JSON-RPC and the engine API once it resolves. */
export async function startExecution(host: Host, disk: SimulatedDisk, { chain }: RollupNetwork): Promise<ExecutionNode> {
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
  await node.start(new AbortController().signal)
  host.serve(PORTS.execution, node.methods)
  host.serve(PORTS.engine, node.engineMethods)
  for (const port of [PORTS.execution, PORTS.engine]) host.offer(port, node)
  return node
}
