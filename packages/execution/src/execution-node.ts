import type { EvmEngine } from '@keelson/evm'
import type { Clock, Crypto, EngineApi, Logger, Random, SignedTransaction } from '@keelson/primitives'
import {
  type HealthCheck,
  type KeyValueStore,
  type LevelStore,
  type Metrics,
  nextTurn,
  type RpcHandler,
  type RpcMethods,
  type Service,
} from '@keelson/runtime'
import { openStateStore, type StateStore, type StateStoreOptions } from '@keelson/state'
import type { BlockReport } from './block-report.ts'
import { createBlockBuilder } from './builder/block-builder.ts'
import type { ChainReader } from './chain/chain-reader.ts'
import type { ChainMove } from './chain/chain-store.ts'
import { openChain } from './chain/open-chain.ts'
import { openRawBlocks } from './chain/raw-blocks.ts'
import { createStateKeeper } from './chain/state-keeper.ts'
import type { ExecutionChain } from './chain-rules.ts'
import type { Database } from './db/database.ts'
import { selfDestructBurns } from './db/self-destruct-burns.ts'
import type { Unsubscribe } from './emitter.ts'
import { createEngine, type ExportVerdict } from './engine/engine.ts'
import { createEngineMethods } from './engine/engine-methods.ts'
import { createOperatorMethods } from './engine/operator-methods.ts'
import { createForkStop } from './fork-stop.ts'
import { headAgeCheck } from './head-age-check.ts'
import { HeadFollower } from './head-follower.ts'
import { createBlockImporter } from './import/block-import.ts'
import { decodeExportedBlock } from './import/decode-export.ts'
import type { ExecutionNodeOptions } from './options.ts'
import { createExecutionNetwork, type ExecutionNetwork, type NetworkDependencies, type NetworkOptions } from './p2p/network.ts'
import type { NodeKey } from './p2p/rlpx/node-key.ts'
import { createServedStates } from './p2p/snap/served-states.ts'
import { createSnapService } from './p2p/snap/snap-service.ts'
import type { PeerTransport } from './p2p/transport.ts'
import { registerMetrics } from './register-metrics.ts'
import type { UnlockedAccounts } from './rpc/dev/unlocked-accounts.ts'
import { createFilterJournal } from './rpc/filters/filter-journal.ts'
import { createPublicMethods, engineSubset } from './rpc/methods.ts'
import { createLocalRunner, type LanedReads, lanedReadMethods, type ReadRunner } from './rpc/read-methods.ts'
import type { RpcDependencies } from './rpc/rpc-dependencies.ts'
import { createSenders, type RecoveryThreads } from './senders/senders.ts'
import { openSync } from './sync/open-sync.ts'
import type { SyncPeers } from './sync/ports.ts'
import { SyncTargets } from './sync/sync-targets.ts'
import { authoritiesOfTransaction } from './txpool/authorities.ts'
import { createPoolJournal } from './txpool/journal.ts'
import { createPoolHead } from './txpool/pool-head.ts'
import { createTxPool, type TxPool } from './txpool/tx-pool.ts'

export interface ExecutionNodeDependencies {
  readonly chain: ExecutionChain
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly crypto: Crypto
  readonly evm: EvmEngine
  /** Default: long reads run on this thread. */
  readonly reads?: ReadRunner | LanedReads
  readonly recoveryThreads?: RecoveryThreads
  /** Default: those of the network, if it is for sync; without peers unknown blocks are not fetched. */
  readonly syncPeers?: SyncPeers
  /** If omitted, the node has no peers. */
  readonly p2p?: PeerToPeer
  /** If omitted, rollup_* and optimism_* methods do not exist. */
  readonly forwardRollup?: (method: string, params: readonly unknown[], signal: AbortSignal) => ReturnType<RpcHandler>
  /** Only on a development network. */
  readonly unlocked?: UnlockedAccounts
  readonly forwardTransaction?: (raw: Uint8Array, signal: AbortSignal, conditional?: unknown) => Promise<void>
}

export interface PeerToPeer {
  readonly sync: 'full' | 'none'
  readonly options: NetworkOptions
  readonly transport: PeerTransport
  readonly key: NodeKey
}

export interface ExecutionNode extends Service {
  readonly engine: EngineApi
  /** To be started after this node, and stopped before it. */
  readonly network: ExecutionNetwork | null
  readonly methods: RpcMethods
  readonly engineMethods: RpcMethods
  readonly pool: TxPool
  /** True while blocks are fetched from peers. */
  syncing(): boolean
  readonly chain: ChainReader
  readonly checks: readonly HealthCheck[]
  database(level: LevelStore): Database
  /** Stores one RLP block of a chain export without moving the head. Throws CodecError. */
  importExported(raw: Uint8Array): Promise<ExportVerdict>
  onMove(listener: (move: ChainMove) => void): Unsubscribe
  onBlock(listener: (report: BlockReport) => void): Unsubscribe
  settled(): Promise<void>
}

const REMEMBERED_SENDERS = 32_768

/** Writes genesis into an empty store. Throws ExecutionError `execution/wrong-network`. */
export async function createExecutionNode(options: ExecutionNodeOptions, deps: ExecutionNodeDependencies): Promise<ExecutionNode> {
  const { chainId, rules } = deps.chain
  const { store, clock, crypto, evm, random } = deps
  const log = deps.log.child('execution')
  const state = await openStateStore(store, options.state, { breathe: nextTurn })
  const chain = await openChain(store, state, deps.chain, { cachedBlocks: options.cachedBlocks })
  const senders = createSenders(crypto, REMEMBERED_SENDERS, deps.recoveryThreads ?? null)
  const context = { chainId, rules, chain, state, evm, crypto, senders, clock, log }
  const importer = createBlockImporter(options, context, store)
  const keeper = createStateKeeper({ chain, state, store, log, restoreLayer: (block) => importer.restoreLayer(block) })
  await keeper.settleHead()

  const journal = createPoolJournal(store)
  const head = createPoolHead({ chain, state, rules, chainId, clock })
  const authoritiesOf = (tx: SignedTransaction) => authoritiesOfTransaction(tx, crypto, chainId)
  const pool = createTxPool(options.pool, { head, chainId, senders, authoritiesOf, clock, log: log.child('pool'), journal })
  const builder = createBlockBuilder(options.builder, context, pool)
  const forkStop = createForkStop(rules, chain, log)
  const follower = new HeadFollower(pool, importer, forkStop, log)
  const network = openNetwork(deps, { chain, state, pool, log, onMove: (listener) => follower.moves.on(listener) })
  const peers = deps.syncPeers ?? (deps.p2p?.sync === 'full' ? network?.connected : undefined)
  const targets = peers === undefined ? null : new SyncTargets()
  const engine = createEngine({
    targets,
    chain,
    rules,
    importer,
    builder,
    keeper,
    clock,
    syncWrites: options.syncWrites,
    onMove: (move) => follower.follow(move),
  })
  const settled = async () => {
    await engine.idle()
    await follower.idle()
    await keeper.settled()
  }
  const { metrics } = deps
  const sync =
    peers === undefined || targets === null
      ? null
      : openSync({ peers, targets, store, chain, state, rules, engine, importer, clock, log, metrics, settled })
  const filterJournal = createFilterJournal(store)
  const storedFilters = await filterJournal.load(options.rpc)
  const rpcDependencies: RpcDependencies = {
    chain,
    state,
    rules,
    chainId,
    evm,
    crypto,
    pool,
    network,
    options: options.rpc,
    clock,
    random,
    log,
    version: options.version,
    historyBlocks: options.state.historyBlocks,
    onMove: (listener) => follower.moves.on(listener),
    ...(sync === null ? {} : { syncReading: sync.reading }),
    ...(deps.forwardRollup === undefined ? {} : { forwardRollup: deps.forwardRollup }),
    ...(deps.unlocked === undefined ? {} : { unlocked: deps.unlocked }),
    ...(deps.forwardTransaction === undefined ? {} : { forwardTransaction: deps.forwardTransaction }),
  }
  const { reads = createLocalRunner(rpcDependencies) } = deps
  const laned = 'run' in reads ? lanedReadMethods(options.rpc, reads) : reads
  const rpc = createPublicMethods(rpcDependencies, { journal: filterJournal, stored: storedFilters }, laned)
  const engineMethods = createEngineMethods({ engine, chain, rules, crypto, version: options.version, commit: options.commit })
  const operatorMethods = createOperatorMethods({ builder, chain, rules, testingMethods: options.rpc.testingMethods })
  registerMetrics(metrics, {
    chain,
    state,
    pool,
    clock,
    rpc,
    memory: [...chain.memory, ...importer.memory, senders.memory, ...(targets === null ? [] : [targets.memory])],
    maxPoolBytes: options.pool.maxBytes,
    maxLayerBytes: options.state.maxLayerBytes,
    onBlock: (listener) => follower.reports.on(listener),
  })

  return {
    name: 'execution',
    engine,
    network,
    methods: rpc.methods,
    engineMethods: {
      ...engineSubset(rpc.methods, rpcDependencies),
      ...engineMethods,
      ...operatorMethods,
      ...syncModeMethod(sync === null ? 'none' : 'full'),
    },
    pool,
    chain,
    syncing: () => sync !== null && sync.reading() !== null,
    importExported: async (raw) => engine.importExported(decodeExportedBlock(raw)),
    checks: [
      headAgeCheck(chain, rules, clock, options.maxHeadAgeSec),
      ...forkStop.checks,
      ...(sync?.checks ?? []),
      ...(network === null ? [] : [network.peers.check]),
    ],
    database: (level) => ({
      store: { ...level, batch: store.batch },
      chain: {
        ...chain,
        async setForkchoice(labels, writeOptions) {
          const move = await chain.setForkchoice(labels, writeOptions)
          follower.follow(move)
          return move
        },
      },
      state,
      chainId,
      genesis: chain.genesis,
      alone: (task) => engine.alone(task),
      selfDestructBurns: (block, breathe) => selfDestructBurns(rpcDependencies, block, breathe),
    }),
    onMove: (listener) => follower.moves.on(listener),
    onBlock: (listener) => follower.reports.on(listener),
    settled,
    async start(signal) {
      const restored = await pool.restore()
      const { hash, header } = chain.label('unsafe')
      const safe = chain.label('safe')
      const finalized = chain.label('finalized')
      log.info('chain opened', {
        number: header.number,
        hash,
        safe: safe.header.number,
        finalized: finalized.header.number,
        stateLayers: state.layerCount,
        poolTransactions: restored,
      })
      forkStop.look(header)
      logStateMode(log, state, options.state)
      keeper.kick()
      await sync?.start(signal)
    },
    async stop() {
      await sync?.stop()
      builder.stop()
      await rpc.stop()
      await engine.idle()
      await follower.idle()
      await keeper.settled()
      await journal.flush()
    },
  }
}

/** A chain without fork points has no fork id, which peers ask for. */
function openNetwork(
  { p2p, store, clock, random, crypto, metrics, chain: { rules } }: ExecutionNodeDependencies,
  parts: Pick<NetworkDependencies, 'chain' | 'pool' | 'log' | 'onMove'> & { readonly state: StateStore },
): ExecutionNetwork | null {
  const { chain, state, log } = parts
  const forkPoints = rules.forkPoints?.(chain.genesis)
  if (p2p === undefined || forkPoints === undefined) return null
  const { options, transport, key } = p2p
  const raw = openRawBlocks(store)
  const snap = createSnapService({ states: createServedStates(chain, state), clock, log })
  return createExecutionNetwork(options, { ...parts, key, transport, store, raw, forkPoints, snap, clock, random, crypto, metrics })
}

/** A consensus client asks before it leaves the sync to this client. */
function syncModeMethod(mode: PeerToPeer['sync']): RpcMethods {
  return { keelson_syncMode: () => mode }
}

function logStateMode(log: Logger, state: StateStore, { historyBlocks, historyBytes }: StateStoreOptions): void {
  const archive = !Number.isFinite(historyBlocks)
  log.info(archive ? 'state mode archive: nothing is pruned' : 'state mode full: past state is kept for a limited window', {
    oldestProvable: state.oldestHistory ?? 0,
    newestOnDisk: state.disk?.number ?? 0,
    historyBytes: state.historyBytes,
    ...(archive ? {} : { windowBlocks: historyBlocks, maxHistoryBytes: historyBytes }),
  })
}
