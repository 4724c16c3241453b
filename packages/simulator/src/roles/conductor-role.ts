/** The conductor beside a sequencer, with its record in etcd. */
import { createL1Client } from '@keelson/client'
import {
  type Arbiter,
  createArbiter,
  createBlockProofCheck,
  createCandidateClient,
  createCandidateMethods,
  createConductorService,
  createEtcdClient,
  createOperatorMethods,
  defaultConductorOptions,
  openEtcdStore,
} from '@keelson/conductor'
import { l2BlockRefOf } from '@keelson/derivation'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { ETCD, ETCD_PORT, type SimulatedEtcd } from '../etcd/simulated-etcd.ts'
import { type Host, PORTS, server, startParts, urlOf } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'
import type { MayFail } from './supervised-role.ts'

export interface ConductorRole extends MayFail {
  readonly arbiter: Arbiter
}

export interface ConductorSetup {
  /** Names of all sequencers, which are their machines. */
  readonly members: readonly string[]
  readonly etcd: SimulatedEtcd
  readonly l1Machine: string
}

export const CONDUCTOR_PORTS = { candidate: 8547, operator: 8549 } as const
/** Begins the keys of etcd; ends in a slash. */
export const ETCD_PREFIX = 'keelson/conductor/simulated/'

/** Defaults of the command. */
const LEASE_TTL_SEC = 2
const STORE_TIMEOUT_MS = 500
const FOLLOW_MS = (LEASE_TTL_SEC * 1_000) / 8
const CANDIDATE_TIMEOUT_MS = 1_000

/** The consensus client runs on the same machine. */
export async function startConductor(
  host: Host,
  disk: SimulatedDisk,
  { config }: RollupNetwork,
  { members, etcd, l1Machine }: ConductorSetup,
): Promise<ConductorRole> {
  const { machine, process, log, metrics, world } = host
  const shared = { clock: process.clock, log, metrics }
  const client = createEtcdClient(
    { endpoints: [urlOf(ETCD, ETCD_PORT)], credentials: null, timeoutMs: STORE_TIMEOUT_MS },
    etcd.client(machine, process),
  )
  const store = openEtcdStore(
    { prefix: ETCD_PREFIX, ttlSec: LEASE_TTL_SEC, own: [machine], members },
    { client, store: disk.open(process), ...shared },
  )
  const rpc = host.rpc(urlOf(machine, PORTS.rollup), CANDIDATE_TIMEOUT_MS)
  const l1 = createL1Client(host.rpc(urlOf(l1Machine, PORTS.l1)))
  const options = defaultConductorOptions(config.blockTimeSec)
  const arbiter = createArbiter(
    { ...options, healthIntervalMs: Math.min(options.healthIntervalMs, FOLLOW_MS) },
    {
      candidates: [createCandidateClient(machine, rpc.host, (method, params) => rpc.call(method, params, { retry: false }))],
      ledger: store.ledger,
      peers: store.peers,
      l1: { hashAt: async (number) => (await l1.blockRef(number))?.hash ?? null },
      originOf: ({ payload }) => l2BlockRefOf(payload, config.genesis).l1Origin,
      ...shared,
    },
  )
  const service = createConductorService(arbiter, shared)
  const proof = createBlockProofCheck({ chainId: config.l2ChainId, signer: () => DEV_ROLES.sequencer.address, crypto: world.crypto })
  const ports = server('conductor RPC', () => [
    host.serve(CONDUCTOR_PORTS.candidate, createCandidateMethods(arbiter, machine, proof)),
    host.serve(CONDUCTOR_PORTS.operator, createOperatorMethods(arbiter)),
  ])
  const { stop, failure } = await startParts(host, [store.service, service, ports])
  return { arbiter, stop, failure }
}
