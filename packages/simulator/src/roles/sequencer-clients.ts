/** Clients of the one sequencer, or of that among several that seals, as production assembles them. */
import {
  createActiveSequencer,
  createHttpRpcClient,
  createL2BlockSource,
  createRollupClient,
  type L2BlockSource,
  type RpcClient,
} from '@keelson/client'
import type { RollupApi } from '@keelson/primitives'
import { openBlocks, openRollup } from './direct-ports.ts'
import { type Host, PORTS, urlOf } from './host.ts'

/** Short, because another sequencer may answer. */
const AMONG_SEVERAL = { timeoutMs: 5_000, retry: { attempts: 2 } }

export interface SequencerPorts {
  readonly l2: L2BlockSource
  readonly rollup: RollupApi
}

/** What batcher and proposer read. */
export function openSequencers(host: Host, machines: readonly string[]): SequencerPorts {
  const [only] = machines
  if (only !== undefined && machines.length === 1) return { l2: openBlocks(host, only, PORTS.execution), rollup: openRollup(host, only) }
  const rollups = rollupsOf(host, machines)
  const active = createActiveSequencer(rollups, { clock: host.process.clock, log: host.log })
  const l2 = active.route(machines.map((machine) => clientOf(host, urlOf(machine, PORTS.execution))))
  return { l2: createL2BlockSource(l2), rollup: createRollupClient(active.route(rollups)) }
}

/** The JSON-RPC of the execution client, for users. Of several sequencers it is the leader's. */
export function openSequencerRpc(host: Host, machines: readonly string[], timeoutMs: number): RpcClient {
  const clients = machines.map((machine) => host.rpc(urlOf(machine, PORTS.execution), timeoutMs))
  const [only] = clients
  if (only !== undefined && machines.length === 1) return only
  return createActiveSequencer(rollupsOf(host, machines), { clock: host.process.clock, log: host.log }).route(clients)
}

function rollupsOf(host: Host, machines: readonly string[]): readonly RpcClient[] {
  return machines.map((machine) => clientOf(host, urlOf(machine, PORTS.rollup)))
}

function clientOf({ process: { clock, random }, log, metrics, http }: Host, url: string): RpcClient {
  return createHttpRpcClient({ url, ...AMONG_SEVERAL }, { clock, random, log, metrics, http })
}
