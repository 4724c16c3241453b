import { createContractReader, createL1Client } from '@keelson/client'
import {
  type BlockValidator,
  type Conductor,
  type ConsensusNode,
  createBlockValidator,
  createConductorClient,
  createConsensusNode,
  createLocalBlockSigner,
  DEFAULT_CONSENSUS_OPTIONS,
  DEFAULT_SEQUENCER_OPTIONS,
  type MemoryGossipNetwork,
  type UnsafeGossip,
} from '@keelson/consensus'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { DEV_ROLES } from '@keelson/devnet/genesis'
import { decompress } from '@keelson/node/assembly'
import { type Address, hexToBytes, l2Time, type PayloadEnvelope } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { openBeacon } from './beacon-port.ts'
import { CONDUCTOR_PORTS } from './conductor-role.ts'
import { openBlocks, openEngine } from './direct-ports.ts'
import { type Host, PORTS, server, startParts, urlOf } from './host.ts'
import type { RollupNetwork } from './rollup-network.ts'
import type { MayFail } from './supervised-role.ts'

export interface ConsensusRole extends MayFail {
  readonly node: ConsensusNode
  /** Null without gossip. */
  readonly gossip: UnsafeGossip | null
  /** Resets of derivation so far. */
  resets(): number
}

export interface ConsensusSetup {
  readonly role: 'sequencer' | 'follower'
  readonly gossip: MemoryGossipNetwork | null
  /** Called for each block of the right form and signature that another member sent. */
  onBlock(block: PayloadEnvelope, from: string): void
  readonly l1Machine: string
  readonly l1PollIntervalMs: number
  /** Called with each block of one of several sequencers; null for others. */
  readonly onPublish: ((envelope: PayloadEnvelope) => void) | null
  /** Whether it listens to attestations of validators. */
  readonly staking: boolean
}

const CONDUCTOR_TIMEOUT_MS = 1_000
const RESETS = 'pipeline_resets_total'

/** The execution client runs on the same machine. */
export async function startConsensus(
  host: Host,
  disk: SimulatedDisk,
  network: RollupNetwork,
  setup: ConsensusSetup,
): Promise<ConsensusRole> {
  const { machine, process, log, world } = host
  const { config, l1Chain } = network
  const { metrics, resets } = countResets(host.metrics)
  const { clock } = process
  const { crypto } = world
  const gossip = openGossip(host, config, setup)
  const node = createConsensusNode(
    {
      ...DEFAULT_CONSENSUS_OPTIONS,
      role: setup.role,
      l1PollIntervalMs: setup.l1PollIntervalMs,
      sequencer: DEFAULT_SEQUENCER_OPTIONS,
    },
    {
      config,
      l1Chain,
      l1: createL1Client(host.rpc(urlOf(setup.l1Machine, PORTS.l1))),
      blobs: openBeacon(host, setup.l1Machine),
      engine: openEngine(host, network),
      l2: openBlocks(host, machine, PORTS.engine),
      gossip,
      ...(setup.onPublish === null ? {} : { conductor: openConductor(host, config) }),
      ...(setup.staking && {
        staking: { contract: OWN_CONTRACTS.Staking, reader: createContractReader(host.rpc(urlOf(machine, PORTS.engine))) },
      }),
      store: disk.open(process),
      decompressor: { decompress },
      crypto,
      clock,
      log,
      metrics,
    },
  )
  const methods = setup.role === 'follower' ? node.methods : { ...node.methods, ...node.adminMethods }
  const rpc = server('rollup RPC', () => [host.serve(PORTS.rollup, methods), host.offer(PORTS.rollup, node.rollupApi)])
  const { stop, failure } = await startParts(host, [node, rpc])
  return { node, gossip, resets, stop, failure }
}

function countResets(metrics: Metrics): { readonly metrics: Metrics; resets(): number } {
  let count = 0
  const counter: Metrics['counter'] = (name, help, labels) => {
    const real = metrics.counter(name, help, labels)
    if (name !== RESETS) return real
    return {
      inc(by, labelValues) {
        count++
        real.inc(by, labelValues)
      },
    }
  }
  return { metrics: { ...metrics, counter }, resets: () => count }
}

/** What a member of gossip checks before it passes a block on. */
export function openBlockValidator({ process, world }: Host, config: RollupNetwork['config'], signer: Address): BlockValidator {
  return createBlockValidator({
    chainId: config.l2ChainId,
    signer: () => signer,
    nowMs: process.clock.nowMs,
    unsupportedFork: config.firstUnsupportedFork,
    usesBlobGasField: (timestampSec) => config.forks.blockRules(l2Time(timestampSec)).daFootprint,
    crypto: world.crypto,
  })
}

function openGossip(host: Host, config: RollupNetwork['config'], setup: ConsensusSetup): UnsafeGossip | null {
  if (setup.gossip === null) return null
  const { machine, world } = host
  const signer = createLocalBlockSigner(world.crypto, hexToBytes(DEV_ROLES.sequencer.privateKey))
  const validator = openBlockValidator(host, config, signer.address)
  const gossip = setup.gossip.join({
    name: machine,
    chainId: config.l2ChainId,
    validator,
    signer: setup.role === 'sequencer' ? signer : null,
    onJudgement(judgement, from) {
      if (judgement.verdict !== 'accept') return
      setup.onBlock(judgement.envelope, from)
    },
  })
  const { onPublish } = setup
  if (onPublish === null) return gossip
  return {
    ...gossip,
    publish(envelope) {
      onPublish(envelope)
      return gossip.publish(envelope)
    },
  }
}

/** The conductor on the same machine. */
function openConductor(host: Host, { l2ChainId: chainId }: RollupNetwork['config']): Conductor {
  const rpc = host.rpc(urlOf(host.machine, CONDUCTOR_PORTS.candidate), CONDUCTOR_TIMEOUT_MS)
  const signer = createLocalBlockSigner(host.world.crypto, hexToBytes(DEV_ROLES.sequencer.privateKey))
  return createConductorClient((method, params) => rpc.call(method, params, { retry: false }), { chainId, signer })
}
