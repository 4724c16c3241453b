/** Batcher and proposer, each with a transaction manager on its own disk. */
import { type Batcher, type BatcherOptions, batcherOptions, createBatcher } from '@keelson/batcher'
import {
  createChainAccount,
  createContractCaller,
  createL1Client,
  createLocalSigner,
  createTransactionJournal,
  createTransactionManager,
  type TransactionManager,
} from '@keelson/client'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { compress } from '@keelson/node/assembly'
import { type Bytes32, formatQuantity, type Hash, hexToBytes } from '@keelson/primitives'
import { createProposer, type Proposer } from '@keelson/proposer'
import { Secret } from '@keelson/runtime'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { type Host, PORTS, startParts, urlOf } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'
import { openSequencers } from './sequencer-clients.ts'
import type { MayFail } from './supervised-role.ts'

export interface SubmitterSetup {
  readonly l1Machine: string
  readonly sequencerMachines: readonly string[]
  readonly dataAvailability: 'calldata' | 'blobs'
  /** Size limit of a frame in calldata, which splits channels; null for the default. */
  readonly frameBytes: number | null
}

export interface BatcherRole extends MayFail {
  readonly manager: TransactionManager
  readonly batcher: Batcher
}

export interface ProposerRole extends MayFail {
  readonly manager: TransactionManager
  readonly proposer: Proposer
}

const MAX_COST_WEI = 10n ** 18n
const TX_POLL_INTERVAL_MS = 4_000
const RESUBMIT_AFTER_MS = 24_000
const PROPOSER_POLL_INTERVAL_MS = 12_000
const SMALL_FRAMES_PER_CHANNEL = 6

const DEFAULT_BATCHER_OPTIONS = Object.fromEntries(
  Object.entries(batcherOptions).map(([name, definition]) => [name, definition.default]),
) as unknown as BatcherOptions

export async function startBatcher(host: Host, disk: SimulatedDisk, network: RollupNetwork, setup: SubmitterSetup): Promise<BatcherRole> {
  const { process, log, metrics } = host
  const { config, l1Chain } = network
  const manager = openManager(host, disk, network, setup, DEV_ROLES.batcher)
  const engines = setup.sequencerMachines.map((machine) => host.rpc(urlOf(machine, PORTS.engine)))
  const size = (bytes: number | null) => formatQuantity(bytes ?? 0)
  const { dataAvailability, frameBytes } = setup
  const frames = frameBytes === null ? {} : { maxCalldataBytes: frameBytes, targetFramesPerChannel: SMALL_FRAMES_PER_CHANNEL }
  const batcher = createBatcher(
    { ...DEFAULT_BATCHER_OPTIONS, dataAvailability, ...frames },
    {
      config,
      ...openSequencers(host, setup.sequencerMachines),
      sender: manager,
      prices: createChainAccount('L1', host.rpc(urlOf(setup.l1Machine, PORTS.l1)), manager.address),
      l1Chain,
      compressor: { compress },
      limits: {
        async setMaxDaSize(transactionBytes, blockBytes) {
          await Promise.any(engines.map((engine) => engine.call('miner_setMaxDASize', [size(transactionBytes), size(blockBytes)])))
        },
      },
      clock: process.clock,
      random: process.random,
      log,
      metrics,
    },
  )
  const { stop, failure } = await startParts(host, [manager, batcher])
  return { manager, batcher, stop, failure }
}

export async function startProposer(host: Host, disk: SimulatedDisk, network: RollupNetwork, setup: SubmitterSetup): Promise<ProposerRole> {
  const { process, log, metrics } = host
  const manager = openManager(host, disk, network, setup, DEV_ROLES.proposer)
  const l1 = host.rpc(urlOf(setup.l1Machine, PORTS.l1))
  const client = createL1Client(l1)
  const proposer = createProposer(
    { oracle: network.addresses.L2OutputOracle, pollIntervalMs: PROPOSER_POLL_INTERVAL_MS, allowNonFinalized: false },
    {
      rollup: openSequencers(host, setup.sequencerMachines).rollup,
      l1: { call: createContractCaller(l1).call, blockRef: (at) => client.blockRef(at) },
      sender: manager,
      clock: process.clock,
      log,
      metrics,
    },
  )
  const { stop, failure } = await startParts(host, [manager, proposer])
  return { manager, proposer, stop, failure }
}

function openManager(
  host: Host,
  disk: SimulatedDisk,
  { config }: RollupNetwork,
  setup: SubmitterSetup,
  { privateKey }: { readonly privateKey: Hash },
): TransactionManager {
  const { process, log, metrics, world } = host
  const signer = createLocalSigner(new Secret(hexToBytes(privateKey) as Bytes32), world.crypto)
  return createTransactionManager(
    {
      chainId: config.l1ChainId,
      confirmations: 1,
      pollIntervalMs: TX_POLL_INTERVAL_MS,
      resubmitAfterMs: RESUBMIT_AFTER_MS,
      maxCostWei: MAX_COST_WEI,
    },
    {
      account: createChainAccount('L1', host.rpc(urlOf(setup.l1Machine, PORTS.l1)), signer.address),
      signer,
      journal: createTransactionJournal(disk.open(process), config.l1ChainId, signer.address),
      kzg: world.kzg,
      crypto: world.crypto,
      clock: process.clock,
      log,
      metrics,
    },
  )
}
