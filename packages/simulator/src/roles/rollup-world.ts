/** A rollup on simulated machines: L1, one or several sequencers, validators, a batcher, a proposer and users. */
import { createMemoryGossipNetwork, type MemoryGossipNetwork } from '@keelson/consensus'
import { l2BlockRefOf } from '@keelson/derivation'
import type { ExecutionNode } from '@keelson/execution'
import type { Crypto, Kzg, L2BlockRef, Logger, PayloadEnvelope } from '@keelson/primitives'
import { APP_MACHINES, Apps } from '../apps/apps.ts'
import { memoizedCrypto } from '../core/memoized-crypto.ts'
import { createSeed } from '../core/seed.ts'
import type { SimProcess } from '../core/sim-process.ts'
import { Simulation } from '../core/simulation.ts'
import { SharedTexts } from '../disk/shared-texts.ts'
import { SimulatedDisk } from '../disk/simulated-disk.ts'
import { ETCD } from '../etcd/simulated-etcd.ts'
import { belongingsOf, RestartJudge } from '../judges/restart-judge.ts'
import { L1Provider } from '../l1/l1-provider.ts'
import { SimulatedL1 } from '../l1/simulated-l1.ts'
import { createStandInKzg } from '../l1/stand-in-kzg.ts'
import { SimulatedHttp } from '../network/simulated-http.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { SimulatedPorts } from '../network/simulated-ports.ts'
import { SequencerOperator } from '../operators/sequencer-operator.ts'
import { Stakers } from '../staking/stakers.ts'
import type { Upgrade } from '../upgrades/upgrades.ts'
import { BEACON_PORT, beaconMethods } from './beacon-port.ts'
import { BridgeUsers } from './bridge-users.ts'
import { startConductor } from './conductor-role.ts'
import { startConsensus } from './consensus-role.ts'
import { startExecution } from './execution-role.ts'
import { createGossipCarrier } from './gossip-carrier.ts'
import { createHost, PORTS, type SimulatedWorld } from './host.ts'
import { JUNK_ROLE, JunkSender } from './junk-sender.ts'
import { LIAR, LyingPeer } from './lying-peer.ts'
import { type L2Start, openRollupNetwork, PARAMETERS, type RollupNetwork } from './rollup-network.ts'
import { SequencerCluster } from './sequencer-cluster.ts'
import { sequencerNames } from './sequencer-names.ts'
import { type NodeStarter, SimulatedNode } from './simulated-node.ts'
import { SimulatedSubmitter } from './simulated-submitter.ts'
import { startBatcher, startProposer } from './submitter-roles.ts'
import { Users } from './users.ts'

export interface RollupWorldOptions {
  readonly seed: number
  readonly startMs: number
  /** By default one, without a conductor. */
  readonly sequencers?: number
  readonly validators: number
  readonly transactionsPerSec: number
  /** Requests between the parts of the rollup are JSON-RPC; by default with every eighth seed. */
  readonly realRpc?: boolean
  /** Whether validators attest; otherwise they only follow. */
  readonly staking?: boolean
  /** Forks that activate during the run; `l2` begins with the one before. */
  readonly upgrades?: readonly Upgrade[]
  /** By default 64. */
  readonly l1FinalityBlocks?: number
  /** Size limit of a frame in calldata; by default a frame holds a whole channel, and the seed chooses calldata or blobs. */
  readonly frameBytes?: number
  readonly crypto: Crypto
  /** Real KZG. By default a stand-in takes its place, and recovered signers are memoized. */
  readonly kzg?: Kzg
  readonly l2: L2Start
  logger(process: SimProcess): Logger
}

const L1_BLOCK_TIME_SEC = 12
const L1_POLL_INTERVAL_MS = 4_000
/** Two epochs. */
const L1_FINALITY_BLOCKS = 64
const REAL_RPC_SEEDS = 8
const L1 = 'l1'
const USERS = 'users'

export class RollupWorld implements SimulatedWorld {
  readonly simulation: Simulation
  readonly network: SimulatedNetwork
  readonly http: SimulatedHttp
  readonly ports: SimulatedPorts
  readonly realRpc: boolean
  readonly crypto: Crypto
  readonly kzg: Kzg
  readonly l1: SimulatedL1
  readonly l1Provider: L1Provider
  readonly rollup: RollupNetwork
  /** Begins with the sequencers. */
  readonly nodes: SimulatedNode[] = []
  /** Null with one sequencer. */
  readonly cluster: SequencerCluster | null
  readonly submitters: readonly SimulatedSubmitter[]
  readonly logger: SimulatedWorld['logger']
  readonly dataAvailability: 'calldata' | 'blobs'
  readonly users: Users
  readonly bridgeUsers: BridgeUsers
  readonly apps: Apps
  readonly lyingPeer: LyingPeer
  readonly junk: JunkSender
  /** Called for each block that a node accepts from another machine. */
  onHeard: (block: PayloadEnvelope, from: string) => void = () => undefined
  /** Null when validators only follow. */
  readonly stakers: Stakers | null
  readonly restarts = new RestartJudge()
  /** Operates the first sequencer. Several have conductors, which start and stop them. */
  readonly operator: SequencerOperator
  /** When the last disturbance ends; at first, when the network starts. */
  lastFaultMs: number
  readonly #options: RollupWorldOptions
  readonly #gossip: MemoryGossipNetwork
  readonly #starter: NodeStarter
  readonly #disks = new Map<string, SimulatedDisk>()
  readonly #texts = new SharedTexts()

  constructor(options: RollupWorldOptions) {
    this.#options = options
    this.simulation = new Simulation(createSeed(options.seed), options.startMs)
    this.lastFaultMs = options.startMs
    this.network = new SimulatedNetwork(this.simulation)
    this.http = new SimulatedHttp(this.network)
    this.ports = new SimulatedPorts(this.network)
    this.realRpc = options.realRpc ?? options.seed % REAL_RPC_SEEDS === 0
    this.crypto = options.kzg === undefined ? memoizedCrypto(options.crypto) : options.crypto
    this.kzg = options.kzg ?? createStandInKzg(options.crypto)
    this.logger = options.logger
    this.l1 = new SimulatedL1(this.simulation, this.crypto, {
      chainId: PARAMETERS.l1ChainId,
      blockTimeSec: L1_BLOCK_TIME_SEC,
      finalityBlocks: options.l1FinalityBlocks ?? L1_FINALITY_BLOCKS,
      start: options.l2.l1,
    })
    this.l1Provider = new L1Provider(this.l1, this.simulation.seed.random('l1 provider'))
    this.rollup = openRollupNetwork(options.l2, this.l1.genesis, options.upgrades ?? [])
    this.#gossip = createMemoryGossipNetwork(createGossipCarrier(this.network, (machine) => this.#gossipProcess(machine)))
    const hasBlobs = options.frameBytes === undefined && this.simulation.seed.random('data availability').next() < 0.5
    this.dataAvailability = hasBlobs ? 'blobs' : 'calldata'
    const sequencerMachines = sequencerNames(options.sequencers)
    this.cluster = sequencerMachines.length > 1 ? new SequencerCluster(this, sequencerMachines) : null
    this.#starter = this.#createStarter()
    const { dataAvailability } = this
    const setup = { l1Machine: L1, sequencerMachines, dataAvailability, frameBytes: options.frameBytes ?? null }
    this.submitters = [
      new SimulatedSubmitter(this, 'batcher', (host) => startBatcher(host, this.#disk('batcher'), this.rollup, setup)),
      new SimulatedSubmitter(this, 'proposer', (host) => startProposer(host, this.#disk('proposer'), this.rollup, setup)),
    ]
    this.bridgeUsers = new BridgeUsers(createHost(this, USERS, 'bridge'), this.rollup, { l1Machine: L1, sequencers: sequencerMachines })
    const appsSetup = {
      rollup: this.rollup,
      l1Machine: L1,
      sequencers: sequencerMachines,
      usersMachine: USERS,
      disk: (name: string) => this.#disk(name),
      transfers: () => this.bridgeUsers.transfers,
    }
    this.apps = new Apps(this, appsSetup)
    this.stakers = options.staking === true ? new Stakers(this, this.rollup, (name) => this.#disk(name), sequencerMachines) : null
    this.users = new Users(createHost(this, USERS, 'users'), sequencerMachines, this.rollup.config.l2ChainId)
    const [operated = ''] = sequencerMachines
    this.operator = new SequencerOperator(this, operated, () => createHost(this, USERS, 'sequencer-operator'))
    this.lyingPeer = new LyingPeer(() => createHost(this, LIAR, 'gossip'), this.rollup, this.#gossip)
    this.junk = new JunkSender(() => createHost(this, USERS, JUNK_ROLE), sequencerMachines, this.rollup.config.l2ChainId)
  }

  get machines(): readonly string[] {
    const stores = this.cluster === null ? [] : [ETCD]
    return [L1, ...this.nodes.map(({ name }) => name), ...this.submitters.map(({ name }) => name), ...APP_MACHINES, USERS, ...stores]
  }

  get sequencers(): readonly SimulatedNode[] {
    const names = sequencerNames(this.#options.sequencers)
    return this.nodes.filter(({ name }) => names.includes(name))
  }

  /** The first sequencer that runs and knows its heads, or else the first. */
  get sequencer(): SimulatedNode | undefined {
    const { sequencers } = this
    return sequencers.find(({ running }) => running?.consensus.driver.heads != null) ?? sequencers[0]
  }

  refOf({ payload }: PayloadEnvelope): L2BlockRef {
    return l2BlockRefOf(payload, this.rollup.config.genesis)
  }

  disksOf(machine: string): readonly SimulatedDisk[] {
    return [...this.#disks].filter(([name]) => name.split('/')[0] === machine).map(([, disk]) => disk)
  }

  /** Schedules the start of every role; they run once the simulation does. */
  start(): void {
    const { validators, transactionsPerSec } = this.#options
    const l1Host = createHost(this, L1, 'node')
    l1Host.serve(PORTS.l1, this.l1Provider.methods)
    this.http.limit(`${L1}:${PORTS.l1}`, () => this.l1Provider.refuses())
    l1Host.serve(BEACON_PORT, beaconMethods(this.l1Provider))
    this.l1.start()
    this.cluster?.store.start()
    for (const name of sequencerNames(this.#options.sequencers)) this.addNode(name)
    for (let i = 1; i <= validators; i++) this.addNode(`validator-${i}`)
    for (let i = 1; i <= validators; i++) this.stakers?.start(`validator-${i}`)
    for (const submitter of this.submitters) submitter.start()
    if (transactionsPerSec > 0) this.users.start(transactionsPerSec)
    this.bridgeUsers.start()
    this.apps.start()
  }

  addNode(name: string, { gossips = true } = {}): SimulatedNode {
    const isConducted = this.cluster?.members.includes(name) === true
    const disks = {
      execution: this.#disk(`${name}/execution`),
      consensus: this.#disk(`${name}/consensus`),
      ...(isConducted ? { conductor: this.#disk(`${name}/conductor`) } : {}),
    }
    const node = new SimulatedNode(name, gossips, disks, this.#starter)
    this.nodes.push(node)
    node.start()
    return node
  }

  #gossipProcess(machine: string): SimProcess | null {
    return machine === LIAR ? this.lyingPeer.process : (this.nodes.find(({ name }) => name === machine)?.consensusProcess ?? null)
  }

  #createStarter(): NodeStarter {
    const { cluster } = this
    return {
      simulation: this.simulation,
      host: (machine, role) => createHost(this, machine, role),
      execution: (host, { name, disks }) => {
        const kept = (execution: ExecutionNode) => belongingsOf(execution, disks.execution.disturbances)
        return startExecution(host, disks.execution, {
          chain: this.rollup.chain,
          started: (execution) => this.restarts.started(name, kept(execution)),
          stopped: (execution) => this.restarts.stopped(name, kept(execution)),
        })
      },
      consensus: (host, node) =>
        startConsensus(host, node.disks.consensus, this.rollup, {
          role: this.sequencers.includes(node) ? 'sequencer' : 'follower',
          gossip: node.gossips ? this.#gossip : null,
          onBlock: (block, from) => this.onHeard(block, from),
          l1Machine: L1,
          l1PollIntervalMs: L1_POLL_INTERVAL_MS,
          onPublish:
            cluster?.members.includes(node.name) === true ? (envelope) => cluster.notePublished(node.name, this.refOf(envelope)) : null,
          staking: this.stakers !== null,
        }),
      conductor: (host, disk) => {
        if (cluster === null) throw new RangeError('one sequencer has no conductor')
        return startConductor(host, disk, this.rollup, { members: cluster.members, etcd: cluster.etcd, l1Machine: L1 })
      },
    }
  }

  #disk(name: string): SimulatedDisk {
    let disk = this.#disks.get(name)
    if (disk === undefined) {
      disk = new SimulatedDisk(this.simulation, name, this.#texts)
      this.#disks.set(name, disk)
    }
    return disk
  }
}
