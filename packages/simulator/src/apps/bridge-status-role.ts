/** The status of deposits and withdrawals without its HTTP server, with the options of `keelson bridge serve`. */
import {
  type BridgeStatus,
  createBridgeStatus,
  createChainReader,
  createRpcL1,
  createRpcL2,
  createWithdrawalStatus,
  readWithdrawalProgress,
  type WithdrawalStatus,
} from '@keelson/apps/bridge'
import { createL1Client } from '@keelson/client'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { bridgeContractsOf } from '../roles/bridge-users.ts'
import { type Host, PORTS, server, startParts, urlOf } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { openSequencerRpc } from '../roles/sequencer-clients.ts'
import type { MayFail } from '../roles/supervised-role.ts'

export const BRIDGE_STATUS = 'bridge-status'
export const BRIDGE_STATUS_PORT = 8091

/** What its users may ask. */
export interface BridgeStatusApi {
  readonly deposits: Pick<BridgeStatus, 'status'>
  readonly withdrawals: WithdrawalStatus
}

export interface BridgeStatusRole extends MayFail {
  readonly bridge: BridgeStatus
}

const REQUEST_TIMEOUT_MS = 15_000
const POLL_INTERVAL_MS = 2_000
const PAGE_BLOCKS = 2_000
const RETENTION_MS = 90 * 86_400_000

export async function startBridgeStatus(
  host: Host,
  disk: SimulatedDisk,
  network: RollupNetwork,
  { l1Machine, sequencers }: { readonly l1Machine: string; readonly sequencers: readonly string[] },
): Promise<BridgeStatusRole> {
  const { process, log, metrics } = host
  const { clock } = process
  const { config } = network
  const contracts = bridgeContractsOf(network)
  const l1 = host.rpc(urlOf(l1Machine, PORTS.l1))
  const l2 = openSequencerRpc(host, sequencers, REQUEST_TIMEOUT_MS)
  const bridge = await createBridgeStatus(
    {
      startBlock: config.genesis.l1.number,
      senders: contracts,
      pollIntervalMs: POLL_INTERVAL_MS,
      pageBlocks: PAGE_BLOCKS,
      retentionMs: RETENTION_MS,
    },
    {
      l1: createRpcL1({ rpc: l1, client: createL1Client(l1), portal: config.depositContract }),
      l2: createRpcL2(l2),
      store: disk.open(process),
      clock,
      log,
      metrics,
    },
  )
  const [onL1, onL2] = [createChainReader(l1), createChainReader(l2)]
  const withdrawals = createWithdrawalStatus({ read: (hash) => readWithdrawalProgress(onL1, onL2, contracts, hash), clock, log })
  const api: BridgeStatusApi = { deposits: bridge, withdrawals }
  const { stop, failure } = await startParts(host, [bridge, server('bridge status', () => [host.offer(BRIDGE_STATUS_PORT, api)])])
  return { bridge, stop, failure }
}
