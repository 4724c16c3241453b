import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
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
  'bridge',
  'faucet',
  'platform',
  'index',
  'web',
  'validator',
] as const
export type RoleName = (typeof ROLE_NAMES)[number]

export type RoleProbe = (devnet: DevnetProcess) => Promise<unknown>

const PROBE_TIMEOUT_MS = 10_000

export function roleProbes(portOffset: number): Readonly<Record<RoleName, RoleProbe>> {
  const { batcher, proposer, validatorDuty } = devnetPorts(portOffset)
  const url = (port: number) => `http://127.0.0.1:${port}`
  const admin = (port: number, method: string) => rpcCall(url(port), method)
  const get = (address: string) => fetch(address, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
  return {
    l1: ({ facts }) => rpcCall(facts.l1.rpcUrl, 'eth_blockNumber'),
    beacon: ({ facts }) => get(`${facts.l1.beaconUrl}/eth/v1/node/version`),
    execution: ({ facts }) => rpcCall(facts.l2.rpcUrl, 'eth_blockNumber'),
    consensus: ({ facts }) => syncStatus(facts.l2.rollupRpcUrl),
    'validator-execution': ({ facts }) => rpcCall(facts.validator.rpcUrl, 'eth_blockNumber'),
    'validator-consensus': ({ facts }) => syncStatus(facts.validator.rollupRpcUrl),
    batcher: () => admin(batcher.admin, 'admin_batcherActive'),
    proposer: () => admin(proposer.admin, 'admin_proposerActive'),
    bridge: ({ facts }) => get(`${facts.services.bridge}/health`),
    faucet: ({ facts }) => get(`${facts.services.faucet}/health`),
    platform: ({ facts }) => get(`${facts.services.platform}/health`),
    index: ({ facts }) => get(`${facts.services.index}/health`),
    web: ({ facts }) => get(`${facts.services.web}/health`),
    validator: () => get(`${url(validatorDuty.metrics)}/healthz`),
  }
}
