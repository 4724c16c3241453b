/** Where each end-to-end test has its network, so that several run side by side and no two want one port. */
import { LEAST_PORT_OFFSET } from '../../packages/node/src/devnet/ports.ts'

const NETWORKS = [
  'bridge-status',
  'bridge-transfers',
  'faucet',
  'faults',
  'foreign-tools',
  'fork-at',
  'hand-over',
  'kill',
  'l1-kill',
  'l1-reorg',
  'network-create',
  'platform',
  'rederive',
  'system-config',
  'validator-duty',
  'validators',
  'wallet',
] as const
export type E2eNetwork = (typeof NETWORKS)[number]

/** Offsets that far apart share no port. */
const STEP = LEAST_PORT_OFFSET
const FIRST_SPARE_PORT = 26_000
export const SPARE_PORTS = 20

export interface E2ePorts {
  readonly network: E2eNetwork
  /** The network's `--port-offset`. */
  readonly offset: number
  /** The first of SPARE_PORTS for nodes beside the network. */
  readonly spare: number
}

export const ALL_E2E_PORTS: readonly E2ePorts[] = NETWORKS.map((network, index) => ({
  network,
  offset: (index + 1) * STEP,
  spare: FIRST_SPARE_PORT + index * SPARE_PORTS,
}))

export function e2ePorts(network: E2eNetwork): E2ePorts {
  return ALL_E2E_PORTS[NETWORKS.indexOf(network)] as E2ePorts
}
