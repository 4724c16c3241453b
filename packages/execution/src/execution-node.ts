import type { EvmEngine } from '@keelson/evm'
import type { Clock, Crypto, EngineApi, Logger, Random } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, LevelStore, Metrics, RpcHandler, RpcMethods, Service } from '@keelson/runtime'
import type { StateStore, StateStoreOptions } from '@keelson/state'
import { type Core, openCore } from './assembly/open-core.ts'
import { openNetwork } from './assembly/open-network.ts'
import { openRpc } from './assembly/open-rpc.ts'
import { type SyncMode, syncModeOf } from './assembly/sync-mode.ts'
import type { BlockReport } from './block-report.ts'
import type { ChainReader } from './chain/chain-reader.ts'
import type { ChainMove } from './chain/chain-store.ts'
import type { ExecutionChain } from './chain-rules.ts'
import type { Database } from './db/database.ts'
import { selfDestructBurns } from './db/self-destruct-burns.ts'
import type { Unsubscribe } from './emitter.ts'
import type { ExportVerdict } from './engine/engine.ts'
import { headAgeCheck } from './head-age-check.ts'
import { decodeExportedBlock } from './import/decode-export.ts'
import type { ExecutionNodeOptions } from './options.ts'
import type { ExecutionNetwork, NetworkOptions } from './p2p/network.ts'
import type { NodeKey } from './p2p/rlpx/node-key.ts'
import type { PeerTransport } from './p2p/transport.ts'
import { registerMetrics } from './register-metrics.ts'
import type { UnlockedAccounts } from './rpc/dev/unlocked-accounts.ts'
import type { LanedReads, ReadRunner } from './rpc/read-methods.ts'
import type { RpcDependencies } from './rpc/rpc-dependencies.ts'
import type { RecoveryThreads } from './senders/senders.ts'
import type { PendingBlock } from './subblocks/pending-block.ts'
import type { SubblockFollower } from './subblocks/subblock-follower.ts'
import type { SubblockListeners } from './subblocks/subblock-stream.ts'
import { openSync, type Sync } from './sync/open-sync.ts'
import type { SyncPeers } from './sync/ports.ts'
import type { TxPool } from './txpool/tx-pool.ts'

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
  /** Default: those of the network; without peers unknown blocks are not fetched. */
  readonly syncPeers?: SyncPeers
  /** Default: that of `p2p`, or full. */
  readonly syncMode?: SyncMode
  /** If omitted, the node has no peers. */
  readonly p2p?: PeerToPeer
  /** If omitted, rollup_* and optimism_* methods do not exist. */
  readonly forwardRollup?: (method: string, params: readonly unknown[], signal: AbortSignal) => ReturnType<RpcHandler>
  /** Only on a development network. */
  readonly unlocked?: UnlockedAccounts
  readonly forwardTransaction?: (raw: Uint8Array, signal: AbortSignal, conditional?: unknown) => Promise<void>
  /** If omitted, there are no subblocks. */
  readonly subblocks?: SubblockParts
}

export interface SubblockParts {
  /** Null: subblocks are not published. */
  readonly listeners: SubblockListeners | null
  /** True if another node's subblocks are received. */
  readonly follows: boolean
}

export interface PeerToPeer {
  readonly sync: SyncMode
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
  /** Null unless another node's subblocks are received. */
  readonly subblocks: Pick<SubblockFollower, 'receive' | 'lost'> | null
  onPending(listener: (pending: PendingBlock | null) => void): Unsubscribe
  settled(): Promise<void>
}

/**
 * Writes genesis into an empty store. Throws ExecutionError `execution/wrong-network`, and `execution/half-state` after an interrupted
 * snap sync unless the mode is `snap`.
 */
export async function createExecutionNode(options: ExecutionNodeOptions, deps: ExecutionNodeDependencies): Promise<ExecutionNode> {
  const syncMode = syncModeOf(deps)
  const core = await openCore(options, deps, syncMode)
  const network = openNetwork(deps, core)
  const sync = openNodeSync(deps, core, network, syncMode)
  const { rpc, dependencies, engineMethods } = await openRpc(options, deps, { core, network, sync, syncMode })
  const { chain, state, engine, follower, forkStop, pool, keeper, settled, subblocks, pending } = core
  registerNodeMetrics(options, deps, core, rpc)

  return {
    name: 'execution',
    engine,
    network,
    methods: rpc.methods,
    engineMethods,
    pool,
    chain,
    syncing: () => sync !== null && sync.reading() !== null,
    importExported: async (raw) => engine.importExported(decodeExportedBlock(raw)),
    checks: [
      headAgeCheck(chain, core.rules, deps.clock, options.maxHeadAgeSec),
      ...forkStop.checks,
      ...(sync?.checks ?? []),
      ...(network === null ? [] : [network.peers.check]),
    ],
    database: (level) => openNodeDatabase(level, deps, core, dependencies),
    onMove: (listener) => follower.moves.on(listener),
    onBlock: (listener) => follower.reports.on(listener),
    subblocks,
    onPending: (listener) => pending.on(listener),
    settled,
    async start(signal) {
      // The pool checks its transactions against the state.
      const restored = state.downloading ? 0 : await pool.restore()
      logChain(core, restored)
      forkStop.look(chain.label('unsafe').header)
      logStateMode(core.log, state, options.state)
      keeper.kick()
      await sync?.start(signal)
    },
    async stop() {
      await sync?.stop()
      core.builder.stop()
      await rpc.stop()
      await settled()
      await core.journal.flush()
    },
  }
}

function openNodeSync(deps: ExecutionNodeDependencies, core: Core, network: ExecutionNetwork | null, mode: SyncMode): Sync | null {
  const peers = deps.syncPeers ?? network?.connected
  const { targets } = core
  if (mode === 'none' || peers === undefined || targets === null) return null
  const { clock, metrics, store } = deps
  return openSync({ ...core, mode, peers, targets, store, clock, metrics, onState: () => core.pool.restore() })
}

function registerNodeMetrics(
  options: ExecutionNodeOptions,
  { metrics, clock }: ExecutionNodeDependencies,
  { chain, state, pool, importer, senders, targets, follower }: Core,
  rpc: Awaited<ReturnType<typeof openRpc>>['rpc'],
): void {
  registerMetrics(metrics, {
    ...{ chain, state, pool, clock, rpc },
    memory: [...chain.memory, ...importer.memory, senders.memory, ...(targets === null ? [] : [targets.memory])],
    maxPoolBytes: options.pool.maxBytes,
    maxLayerBytes: options.state.maxLayerBytes,
    onBlock: (listener) => follower.reports.on(listener),
  })
}

function openNodeDatabase(
  level: LevelStore,
  { store }: ExecutionNodeDependencies,
  { chain, state, chainId, engine, follower }: Core,
  rpc: RpcDependencies,
): Database {
  return {
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
    selfDestructBurns: (block, breathe) => selfDestructBurns(rpc, block, breathe),
  }
}

function logChain({ chain, state, log }: Core, poolTransactions: number): void {
  const { hash, header } = chain.label('unsafe')
  log.info('chain opened', {
    number: header.number,
    hash,
    safe: chain.label('safe').header.number,
    finalized: chain.label('finalized').header.number,
    stateLayers: state.layerCount,
    poolTransactions,
  })
  if (state.downloading) log.info('the state is not complete: snap sync continues with the next head of the consensus client')
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
