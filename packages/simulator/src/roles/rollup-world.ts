/** A rollup on simulated machines: L1, a sequencer, validators, a batcher, a proposer and users. */
import { createMemoryGossipNetwork, type MemoryGossipNetwork } from '@keelson/consensus'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import type { ExecutionNode } from '@keelson/execution'
import type { Crypto, Logger } from '@keelson/primitives'
import { createSeed } from '../core/seed.ts'
import type { SimProcess } from '../core/sim-process.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedDisk } from '../disk/simulated-disk.ts'
import { createL1Methods } from '../l1/l1-methods.ts'
import { SimulatedL1 } from '../l1/simulated-l1.ts'
import { SimulatedHttp } from '../network/simulated-http.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { type ConsensusRole, startConsensus } from './consensus-role.ts'
import { startExecution } from './execution-role.ts'
import { createGossipCarrier } from './gossip-carrier.ts'
import { createHost, PORTS, type SimulatedWorld } from './host.ts'
import { L1_ADDRESSES, L1_BALANCES, type L2Start, openRollupNetwork, PARAMETERS, type RollupNetwork } from './rollup-network.ts'
import { type BatcherRole, type ProposerRole, startBatcher, startProposer } from './submitter-roles.ts'
import { Users } from './users.ts'

export interface RollupWorldOptions {
  readonly seed: number
  readonly startMs: number
  readonly validators: number
  readonly transactionsPerSec: number
  readonly crypto: Crypto
  readonly l2: L2Start
  logger(process: SimProcess): Logger
}

/** An execution client and a consensus client on one machine. */
export interface SimulatedNode {
  readonly name: string
  /** False for a node that reads L1 alone. */
  readonly gossips: boolean
  readonly disks: { readonly execution: SimulatedDisk; readonly consensus: SimulatedDisk }
  /** Null until it runs. */
  running: RunningNode | null
}

export interface RunningNode {
  readonly execution: ExecutionNode
  readonly executionProcess: SimProcess
  readonly consensus: ConsensusRole
  readonly consensusProcess: SimProcess
  /** Resets of its derivation since it started. */
  resets(): number
}

const L1_BLOCK_TIME_SEC = 12
const L1_POLL_INTERVAL_MS = 4_000
const L1 = 'l1'
const SEQUENCER = 'sequencer'

export class RollupWorld implements SimulatedWorld {
  readonly simulation: Simulation
  readonly network: SimulatedNetwork
  readonly http: SimulatedHttp
  readonly crypto: Crypto
  readonly l1: SimulatedL1
  readonly rollup: RollupNetwork
  readonly nodes: SimulatedNode[] = []
  readonly logger: SimulatedWorld['logger']
  /** When the network was last disturbed; at first, when it started. */
  lastFaultMs: number
  users: Users | null = null
  batcher: BatcherRole | null = null
  proposer: ProposerRole | null = null
  readonly #options: RollupWorldOptions
  readonly #gossip: MemoryGossipNetwork
  readonly #disks = new Map<string, SimulatedDisk>()
  readonly #consensusProcesses = new Map<string, SimProcess>()

  constructor(options: RollupWorldOptions) {
    this.#options = options
    this.simulation = new Simulation(createSeed(options.seed), options.startMs)
    this.lastFaultMs = options.startMs
    this.network = new SimulatedNetwork(this.simulation)
    this.http = new SimulatedHttp(this.network)
    this.crypto = options.crypto
    this.logger = options.logger
    this.l1 = new SimulatedL1(this.simulation, options.crypto, {
      chainId: PARAMETERS.l1ChainId,
      blockTimeSec: L1_BLOCK_TIME_SEC,
      balances: L1_BALANCES,
      oracle: {
        address: L1_ADDRESSES.L2OutputOracle,
        proposer: DEV_ROLES.proposer.address,
        submissionIntervalBlocks: PARAMETERS.submissionIntervalBlocks,
      },
    })
    this.rollup = openRollupNetwork(options.l2, this.l1.genesis)
    this.#gossip = createMemoryGossipNetwork(createGossipCarrier(this.network, (machine) => this.#consensusProcesses.get(machine) ?? null))
  }

  /** Schedules the start of every role; they run once the simulation does. */
  start(): void {
    const { validators, transactionsPerSec } = this.#options
    createHost(this, L1, 'node').serve(PORTS.l1, createL1Methods(this.l1))
    this.l1.start()
    this.addNode(SEQUENCER)
    for (let i = 1; i <= validators; i++) this.addNode(`validator-${i}`)
    const submitter = { l1Machine: L1, sequencerMachine: SEQUENCER }
    this.#inProcess('batcher', 'batcher', async (host) => {
      this.batcher = await startBatcher(host, this.#disk('batcher'), this.rollup, submitter)
    })
    this.#inProcess('proposer', 'proposer', async (host) => {
      this.proposer = await startProposer(host, this.#disk('proposer'), this.rollup, submitter)
    })
    if (transactionsPerSec === 0) return
    this.#inProcess('users', 'users', async (host) => {
      this.users = new Users(host, SEQUENCER, this.rollup.config.l2ChainId)
      this.users.start(transactionsPerSec)
    })
  }

  addNode(name: string, { gossips = true } = {}): SimulatedNode {
    const disks = { execution: this.#disk(`${name}/execution`), consensus: this.#disk(`${name}/consensus`) }
    const node: SimulatedNode = { name, gossips, disks, running: null }
    this.nodes.push(node)
    this.startNode(node)
    return node
  }

  startNode(node: SimulatedNode): void {
    this.#inProcess(node.name, 'execution', async (executionHost) => {
      const execution = await startExecution(executionHost, node.disks.execution, this.rollup)
      this.#inProcess(node.name, 'consensus', async (host) => {
        this.#consensusProcesses.set(node.name, host.process)
        const consensus = await startConsensus(host, node.disks.consensus, this.rollup, {
          role: node.name === SEQUENCER ? 'sequencer' : 'follower',
          gossip: node.gossips ? this.#gossip : null,
          l1Machine: L1,
          l1PollIntervalMs: L1_POLL_INTERVAL_MS,
        })
        node.running = {
          execution,
          executionProcess: executionHost.process,
          consensus,
          consensusProcess: host.process,
          resets: consensus.resets,
        }
      })
    })
  }

  #disk(name: string): SimulatedDisk {
    let disk = this.#disks.get(name)
    if (disk === undefined) {
      disk = new SimulatedDisk(this.simulation, name)
      this.#disks.set(name, disk)
    }
    return disk
  }

  #inProcess(machine: string, role: string, start: (host: ReturnType<typeof createHost>) => Promise<void>): void {
    const host = createHost(this, machine, role)
    host.process.after(0, 'start', () => void start(host).catch((error: unknown) => this.simulation.fail(error)))
  }
}
