/** The roles of a development network, and what each is asked to see whether it serves. */

import { syncStatus } from './chain-reading.ts'
import type { DevnetProcess } from './devnet-process.ts'
import { rpcCall } from './json-rpc.ts'

export const ROLE_NAMES = [
  'l1',
  'beacon',
  'execution',
  'consensus',
  'validator-execution',
  'validator-consensus',
  'batcher',
  'proposer',
] as const
export type RoleName = (typeof ROLE_NAMES)[number]

export type RoleProbe = (devnet: DevnetProcess) => Promise<unknown>

const PROBE_TIMEOUT_MS = 1_000

/** Each rejects while its role does not answer. */
export function roleProbes(portOffset: number): Readonly<Record<RoleName, RoleProbe>> {
  const admin = (port: number, method: string) => rpcCall(`http://127.0.0.1:${portOffset + port}`, method)
  return {
    l1: ({ facts }) => rpcCall(facts.l1.rpcUrl, 'eth_blockNumber'),
    beacon: ({ facts }) => fetch(`${facts.l1.beaconUrl}/eth/v1/node/version`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }),
    execution: ({ facts }) => rpcCall(facts.l2.rpcUrl, 'eth_blockNumber'),
    consensus: ({ facts }) => syncStatus(facts.l2.rollupRpcUrl),
    'validator-execution': ({ facts }) => rpcCall(facts.validator.rpcUrl, 'eth_blockNumber'),
    'validator-consensus': ({ facts }) => syncStatus(facts.validator.rollupRpcUrl),
    batcher: () => admin(7311, 'admin_batcherActive'),
    proposer: () => admin(7312, 'admin_proposerActive'),
  }
}
