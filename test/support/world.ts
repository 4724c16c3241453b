/** A rollup in one process with a manual clock and no randomness. */

import { type Batcher, type BatcherOptions, createBatcher } from '@keelson/batcher'
import { type ForkTimes, forkLimitOf, type RollupConfig, type RollupConfigOptions, type UnsupportedFork } from '@keelson/chainspec'
import {
  type ConsensusNode,
  type ConsensusNodeDependencies,
  type ConsensusNodeOptions,
  createBlockValidator,
  createConsensusNode,
  createLocalBlockSigner,
  createMemoryGossipNetwork,
  DEFAULT_CONSENSUS_OPTIONS,
  DEFAULT_SEQUENCER_OPTIONS,
  type MemoryGossipNetwork,
  type SequencerOptions,
} from '@keelson/consensus'
import type { SyncPeers } from '@keelson/execution'
import { type GenesisAccount, type Hash, l2Time, type PayloadEnvelope, toAddress } from '@keelson/primitives'
import {
  createManualClock,
  createMemoryStore,
  createMetrics,
  createSeededRandom,
  type KeyValueStore,
  type ManualClock,
} from '@keelson/runtime'
import { compress, decompress } from '../../packages/node/src/crypto/compression.ts'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { type BatchForm, type BatchSubmitter, createBatchSubmitter } from './batch-submitter.ts'
import { DEFAULT_BATCHER_OPTIONS } from './default-batcher-options.ts'
import { createExecutionWorld, type ExecutionWorld, type ExecutionWorldOptions } from './execution-world.ts'
import { createFakeL1, type FakeL1 } from './fake-l1.ts'
import { createFakeL1Sender, type FakeL1Sender } from './fake-l1-sender.ts'
import { createRecordingLogger, type RecordingLogger } from './recording-logger.ts'
import { JOVIAN_FROM_GENESIS, makeRollupConfig } from './rollup-config.ts'

/** Rate limits would wait for a clock that does not advance. */
const UNLIMITED = { allPeers: { perSec: 1, burst: 1_000_000 }, onePeer: { perSec: 1, burst: 1_000_000 } }

export interface WorldOptions {
  readonly forks?: ForkTimes
  readonly upgradeBundles?: RollupConfigOptions['upgradeBundles']
  readonly keepKarstUpgradeGas?: boolean
  readonly alloc?: readonly GenesisAccount[]
  readonly unsupportedFork?: UnsupportedFork
  readonly l1BlockTimeSec?: number
  readonly l1AmsterdamTimeSec?: number
  readonly l2BlockTimeSec?: number
  readonly sequencingWindowL1Blocks?: number
  readonly maxSequencerDriftSec?: number
  readonly sequencer?: Partial<SequencerOptions>
  readonly consensus?: Partial<ConsensusNodeOptions>
  readonly wire?: Wire
}

export type Wire = (real: ConsensusNodeDependencies) => ConsensusNodeDependencies

export interface WorldNode {
  readonly name: string
  readonly execution: ExecutionWorld
  readonly consensus: ConsensusNode
  readonly log: RecordingLogger
  heads(): { readonly unsafe: number; readonly safe: number; readonly finalized: number }
  hashAt(number: number): Promise<Hash | null>
  payloadAt(number: number): Promise<PayloadEnvelope>
  restart(): Promise<void>
  loseConsensusStore(): Promise<void>
  loseExecutionStore(): Promise<void>
  engineDown: boolean
  frozen: boolean
  settle(): Promise<void>
}

export interface World {
  readonly clock: ManualClock
  readonly l1: FakeL1
  readonly config: RollupConfig
  readonly gossip: MemoryGossipNetwork
  readonly batches: BatchSubmitter
  readonly sequencer: WorldNode
  readonly nodes: readonly WorldNode[]
  addFollower(
    name: string,
    options?: {
      readonly gossip?: boolean
      readonly consensus?: Partial<ConsensusNodeOptions>
      readonly wire?: Wire
      readonly syncPeers?: SyncPeers
      /** The forks that the follower knows. Default: those of the sequencer. */
      readonly forks?: ForkTimes
    },
  ): Promise<WorldNode>
  advance(seconds: number, options?: { readonly mine?: boolean }): Promise<void>
  batch(form?: BatchForm, from?: number): Promise<void>
  startBatcher(options?: Partial<BatcherOptions>): WorldBatcher
  settle(): Promise<void>
  stop(): Promise<void>
}

export interface WorldBatcher {
  readonly batcher: Batcher
  readonly sender: FakeL1Sender
  readonly log: RecordingLogger
}

export const SINGULAR_CALLDATA: BatchForm = { batches: 'singular', compression: 'zlib', carrier: 'calldata' }

const GENESIS_TIME_SEC = 1_800_000_000
const L2_CHAIN_ID = 84532n
const GAS_LIMIT = 30_000_000n
const key = (n: number) => new Uint8Array(32).fill(n)
const BATCHER_KEY = key(0xb1)
const SIGNER_KEY = key(0x5e)

const crypto = createNativeCrypto()
export const BLOCK_PROVER = { chainId: L2_CHAIN_ID, signer: createLocalBlockSigner(crypto, SIGNER_KEY), crypto }

/** Methods of the current object reject while `down` returns true, like a lost connection. */
function breakable<T extends object>(target: () => T, down: () => boolean): T {
  return new Proxy({} as T, {
    get(_, name) {
      return async (...args: unknown[]) => {
        if (down()) throw new Error('connection refused')
        const object = target()
        return (Reflect.get(object, name) as (...args: unknown[]) => unknown).apply(object, args)
      }
    },
  })
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createManualClock(GENESIS_TIME_SEC * 1000)
  const forks = options.forks ?? JOVIAN_FROM_GENESIS
  const l1 = createFakeL1({
    genesisTimestampSec: GENESIS_TIME_SEC,
    blockTimeSec: options.l1BlockTimeSec ?? 4,
    ...(options.l1AmsterdamTimeSec === undefined ? {} : { amsterdamTimeSec: options.l1AmsterdamTimeSec }),
  })
  const { upgradeBundles, alloc } = options
  const chosen = { ...(upgradeBundles === undefined ? {} : { upgradeBundles }), ...(alloc === undefined ? {} : { alloc }) }
  const blockTimeSec = options.l2BlockTimeSec ?? 2
  const limit = forkLimitOf({
    firstUnsupportedFork: options.unsupportedFork ?? null,
    blockTimeSec,
    genesis: { l2: { number: 0 }, l2TimestampSec: GENESIS_TIME_SEC },
  })
  const newExecution = (own: Pick<ExecutionWorldOptions, 'syncPeers' | 'forks'> = {}) =>
    createExecutionWorld({
      ...chosen,
      limit,
      chainId: L2_CHAIN_ID,
      forks,
      genesisTimestampSec: GENESIS_TIME_SEC,
      gasLimit: GAS_LIMIT,
      clock,
      ...own,
    })
  const firstExecution = await newExecution()
  const configOf = (scheduled: ForkTimes) =>
    makeRollupConfig({
      ...options,
      l1ChainId: l1.chain.chainId,
      l2ChainId: L2_CHAIN_ID,
      l1Genesis: l1.genesis,
      l2Genesis: firstExecution.genesis,
      batcher: toAddress(crypto.addressOf(BATCHER_KEY)),
      forks: scheduled,
      gasLimit: GAS_LIMIT,
      blockTimeSec,
    })
  const config = configOf(forks)
  const gossip = createMemoryGossipNetwork()
  const batches = createBatchSubmitter(config, l1, BATCHER_KEY)
  const nodes: WorldNode[] = []
  let batcher: WorldBatcher | null = null

  function newConsensus(
    name: string,
    engineDown: () => boolean,
    execution: () => ExecutionWorld,
    store: KeyValueStore,
    log: RecordingLogger,
    gossips: boolean,
    own: Partial<ConsensusNodeOptions>,
    wire: Wire,
    config: RollupConfig,
  ) {
    const { signer } = BLOCK_PROVER
    const validator = createBlockValidator({
      chainId: config.l2ChainId,
      signer: () => signer.address,
      nowMs: () => clock.nowMs(),
      unsupportedFork: config.firstUnsupportedFork,
      usesBlobGasField: (timestampSec) => config.forks.blockRules(l2Time(timestampSec)).daFootprint,
      crypto,
    })
    const member = gossips
      ? gossip.join({ name, chainId: config.l2ChainId, validator, signer: own.role === 'sequencer' ? signer : null })
      : null
    const consensus = createConsensusNode(
      { ...DEFAULT_CONSENSUS_OPTIONS, serving: UNLIMITED, ...options.consensus, ...own },
      wire({
        config,
        l1Chain: l1.chain,
        l1: l1.reader,
        blobs: l1.blobReader,
        engine: breakable(() => execution().engine, engineDown),
        l2: breakable(() => execution().l2Source, engineDown),
        gossip: member,
        store,
        decompressor: { decompress },
        crypto,
        clock,
        log,
        metrics: createMetrics(`keelson_${name.replaceAll('-', '_')}`),
      }),
    )
    return { consensus, member }
  }

  async function addNode(
    name: string,
    first: ExecutionWorld,
    gossips: boolean,
    own: Partial<ConsensusNodeOptions>,
    wire: Wire = (real) => real,
    nodeConfig = config,
  ): Promise<WorldNode> {
    const log = createRecordingLogger()
    let engineDown = false
    let frozen = false
    let execution = first
    let store = createMemoryStore()
    let { consensus, member } = newConsensus(
      name,
      () => engineDown,
      () => execution,
      store,
      log,
      gossips,
      own,
      wire,
      nodeConfig,
    )
    await member?.start()
    const comeBack = async () => {
      await member?.stop()
      const next = newConsensus(
        name,
        () => engineDown,
        () => execution,
        store,
        log,
        gossips,
        own,
        wire,
        nodeConfig,
      )
      consensus = next.consensus
      member = next.member
      await member?.start()
    }
    const node: WorldNode = {
      name,
      log,
      get engineDown() {
        return engineDown
      },
      set engineDown(value) {
        engineDown = value
      },
      get frozen() {
        return frozen
      },
      set frozen(value) {
        frozen = value
      },
      get execution() {
        return execution
      },
      get consensus() {
        return consensus
      },
      heads() {
        const { heads } = consensus.driver
        return { unsafe: heads?.unsafe.number ?? 0, safe: heads?.safe.number ?? 0, finalized: heads?.finalized.number ?? 0 }
      },
      hashAt: async (number) => (await execution.l2Source.payload(number))?.payload.blockHash ?? null,
      async payloadAt(number) {
        const envelope = await execution.l2Source.payload(number)
        if (envelope === null) throw new Error(`${name} has no block ${number}`)
        return envelope
      },
      async restart() {
        execution = await execution.restart()
        await comeBack()
      },
      async loseConsensusStore() {
        store = createMemoryStore()
        await comeBack()
      },
      async loseExecutionStore() {
        await execution.stop()
        execution = await newExecution()
      },
      async settle() {
        if (frozen) return
        await consensus.l1Watcher.step()
        await consensus.settle()
      },
    }
    nodes.push(node)
    return node
  }

  const sequencerOptions = { ...DEFAULT_SEQUENCER_OPTIONS, l1Confirmations: 0, ...options.sequencer }
  const sequencer = await addNode('sequencer', firstExecution, true, { role: 'sequencer', sequencer: sequencerOptions }, options.wire)

  const world: World = {
    clock,
    l1,
    config,
    gossip,
    batches,
    sequencer,
    nodes,
    async addFollower(name, { gossip: gossips = true, consensus: own = {}, wire, syncPeers, forks: scheduled = forks } = {}) {
      const execution = await newExecution({ forks: scheduled, ...(syncPeers === undefined ? {} : { syncPeers }) })
      return addNode(name, execution, gossips, { role: 'follower', ...own }, wire, configOf(scheduled))
    },
    async advance(seconds, { mine = true } = {}) {
      const untilMs = clock.nowMs() + seconds * 1000
      while (clock.nowMs() < untilMs) {
        await clock.advanceTo(Math.min(untilMs, clock.nowMs() + config.blockTimeSec * 1000))
        if (mine) l1.mineUntil(Math.floor(clock.nowMs() / 1000))
        await world.settle()
      }
    },
    async batch(form = SINGULAR_CALLDATA, from = sequencer.heads().safe) {
      const blocks: PayloadEnvelope[] = []
      for (let number = from + 1; number <= sequencer.heads().unsafe; number++) blocks.push(await sequencer.payloadAt(number))
      batches.submit(
        blocks.map(({ payload }) => payload),
        form,
      )
    },
    startBatcher(own = {}) {
      const sender = createFakeL1Sender(l1, BATCHER_KEY)
      const log = createRecordingLogger()
      const created = createBatcher(
        { ...DEFAULT_BATCHER_OPTIONS, maxChannelDurationL1Blocks: 1, ...own },
        {
          config,
          l2: { payload: (at) => sequencer.execution.l2Source.payload(at) },
          rollup: {
            syncStatus: () => sequencer.consensus.rollupApi.syncStatus(),
            outputAtBlock: (at) => sequencer.consensus.rollupApi.outputAtBlock(at),
          },
          sender,
          prices: null,
          ...(options.l1AmsterdamTimeSec === undefined ? {} : { l1Chain: l1.chain }),
          compressor: { compress },
          limits: {
            async setMaxDaSize(transactionBytes, blockBytes) {
              const params = [transactionBytes, blockBytes].map((bytes) => `0x${(bytes ?? 0).toString(16)}`)
              const context = { signal: new AbortController().signal, transport: 'http' as const }
              await sequencer.execution.node.engineMethods.miner_setMaxDASize?.(params, context)
            },
          },
          clock,
          random: createSeededRandom(7),
          log,
          metrics: createMetrics('keelson_batcher'),
        },
      )
      batcher = { batcher: created, sender, log }
      return batcher
    },
    async settle() {
      batcher?.sender.settle()
      for (let round = 0; round < 2; round++) for (const node of nodes) await node.settle()
      await batcher?.batcher.step().catch((error: unknown) => batcher?.log.warn('batch failed, retrying', { error }))
    },
    async stop() {
      for (const node of nodes) {
        await node.consensus.stop()
        await node.execution.stop()
      }
    },
  }
  await world.settle()
  return world
}
