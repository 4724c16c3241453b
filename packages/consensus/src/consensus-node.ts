/**
 * The consensus client put together: L1 watcher, derivation, engine control, sequencer, gossip, RPC. The
 * composition root mounts `methods` on 9545 and shows `checks` on /readyz.
 */
import { createActivationWatch, FORK_ACTIVATES, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import { type BlobReader, createAttributesBuilder, createDerivationPipeline, type Decompressor, type L1Reader } from '@keelson/derivation'
import type { Address, Clock, Crypto, EngineApi, L1BlockRef, Logger, RollupApi } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics, RpcMethods, Service } from '@keelson/runtime'
import { createDerivedChain } from './blocks/derived-chain.ts'
import { createL2Refs, withEngineErrors } from './blocks/l2-refs.ts'
import { createRecentPayloads } from './blocks/recent-payloads.ts'
import { createDegradedStates, type DegradedStates } from './degraded-states.ts'
import { createDriver } from './driver/driver.ts'
import type { Driver, DriverHeads } from './driver/driver-api.ts'
import { createEngineControl } from './driver/engine/engine-control.ts'
import type { CannotSync } from './driver/engine/engine-sync.ts'
import { createDriverTrace } from './driver/engine/trace.ts'
import type { ViolationWriter } from './driver/engine/violation.ts'
import { createForkStop } from './driver/fork-stop.ts'
import { createRefusedBlocks } from './driver/unsafe/refused-blocks.ts'
import { messageOf } from './errors.ts'
import { withConfirmationDepth } from './l1/confirmation-depth.ts'
import { createL1Watcher, type L1Watcher } from './l1/l1-watcher.ts'
import { createConsensusMetrics } from './metrics.ts'
import type { ConsensusNodeOptions } from './options.ts'
import { createAttestationService } from './p2p/attestations/attestation-service.ts'
import { createPayloadServer } from './p2p/exchange/payload-server.ts'
import type { Conductor, ContractReader, L1News, L2BlockSource, UnsafeGossip } from './ports.ts'
import { createHealthChecks } from './readiness.ts'
import { createAdminMethods, type SetLogLevel } from './rpc/admin-rpc.ts'
import { createAttestationMethods } from './rpc/attestation-rpc.ts'
import { createP2pAdminMethods, createP2pMethods } from './rpc/p2p-rpc.ts'
import { createRollupApi, createRollupMethods } from './rpc/rollup-rpc.ts'
import { createDriverLoop } from './run-loop.ts'
import { SOLE_CONDUCTOR } from './sequencer/conductors.ts'
import { createOriginSelector } from './sequencer/origin-selector.ts'
import { createSignedPublisher } from './sequencer/publish-signed.ts'
import { createSequencer, type Sequencer } from './sequencer/sequencer.ts'
import { createSequencerState, NO_SEQUENCER_STATE } from './sequencer/sequencer-state.ts'
import { createSignedBlocks } from './sequencer/signed-blocks.ts'
import { createSigningRecord } from './sequencer/signing-record.ts'
import { createSafeHeadStore, type SafeHeadStore } from './store/safe-head-store.ts'
import { createSyncWalk } from './store/sync-walk.ts'

export interface ConsensusNodeDependencies {
  readonly config: RollupConfig
  readonly l1Chain: L1ChainConfig
  readonly l1: L1Reader
  readonly blobs: BlobReader
  /** Null or absent: L1 is looked at at intervals. */
  readonly l1News?: L1News | null
  /** Told once from which L1 block on derivation reads after the start. */
  readonly onDerivationStart?: (from: L1BlockRef) => void
  readonly engine: EngineApi
  readonly l2: L2BlockSource
  /** Made by the caller, with `degraded` below when it has states to tell; null switches gossip off. */
  readonly gossip: UnsafeGossip | null
  /** Where validators' stake is, when attestations are to be followed; they need gossip. */
  readonly staking?: { readonly contract: Address; readonly reader: ContractReader }
  /** Who of several sequencers may seal; absent for one that is alone. */
  readonly conductor?: Conductor
  /** Sets the least severe line of the log; absent where the log is fixed. */
  readonly setLogLevel?: SetLogLevel
  /** Buckets 0x80 to 0x82 and 0x86 to 0x88 of it; closed by whoever opened it. */
  readonly store: KeyValueStore
  readonly decompressor: Decompressor
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  /** Where a broken invariant is written down before the node stops. */
  readonly violations?: ViolationWriter
  /** Asked before the execution client is left to fetch the chain; absent: it can. */
  readonly cannotSync?: CannotSync
  /** Shared with the gossip; made here when absent. */
  readonly degraded?: DegradedStates
}

export interface ConsensusNode extends Service {
  readonly driver: Driver
  readonly l1Watcher: L1Watcher
  /** Null for a follower. */
  readonly sequencer: Sequencer | null
  readonly safeHeads: SafeHeadStore
  readonly rollupApi: RollupApi
  /** rollup_*, optimism_* and opp2p_*: may be shown to others. */
  readonly methods: RpcMethods
  /** admin_*, and opp2p_* that change something: for the operator only. */
  readonly adminMethods: RpcMethods
  readonly checks: readonly HealthCheck[]
  /** Steps the driver until it has nothing to do and nothing is being read: for simulations, in place of `start`. */
  settle(): Promise<void>
}

export function createConsensusNode(options: ConsensusNodeOptions, deps: ConsensusNodeDependencies): ConsensusNode {
  const { config, l1Chain, l1, clock, gossip } = deps
  const log = deps.log
  const metrics = createConsensusMetrics(deps.metrics)
  const degraded = deps.degraded ?? createDegradedStates(clock, log)
  const l2 = createRecentPayloads(withEngineErrors(deps.l2))
  const refs = createL2Refs(config, l2)
  const safeHeads = createSafeHeadStore(deps.store)
  const trace = createDriverTrace(clock)
  const refused = createRefusedBlocks()
  const activations = createActivationWatch(config.forks)
  const forkStop = createForkStop(config, degraded)
  const engine = createEngineControl({
    engine: deps.engine,
    refs,
    trace,
    allowFinalizedReorg: options.allowFinalizedReorg,
    onExecuted(envelope) {
      l2.remember(envelope)
      refused.forget(envelope.payload.blockHash)
    },
    onUnsafe({ number, timestampSec }) {
      for (const fork of activations.head(timestampSec)) log.info(FORK_ACTIVATES, { fork, block: number, timestampSec })
    },
  })
  let l1Head: L1BlockRef | null = null
  const behind = (depth: number) => withConfirmationDepth(l1, depth, () => l1Head)
  const attributes = createAttributesBuilder(config, l1Chain, { l1, l2 })
  const pipeline = createDerivationPipeline(config, {
    l1: behind(options.verifierL1Confirmations),
    blobs: deps.blobs,
    l2: createDerivedChain(engine, l2),
    decompressor: deps.decompressor,
    crypto: deps.crypto,
    attributes,
    observer: {
      dropped(event) {
        metrics.dropped(event)
        log.debug('L1 data dropped', { stage: event.stage, reason: event.reason, l1: event.l1Origin.number, ...event.details })
      },
    },
  })
  const record = createSigningRecord(deps.store, {
    genesis: config.genesis.l2.number,
    dueIn: (aheadMs) => blockDueAt(config, clock.nowMs() + aheadMs),
  })
  const { publish, settled } = createSignedPublisher(gossip, record, log, deps.metrics, clock)
  const conductor = deps.conductor ?? SOLE_CONDUCTOR
  const sequencer: Sequencer | null =
    options.role === 'follower'
      ? null
      : createSequencer(options.sequencer, {
          config,
          attributes,
          origins: createOriginSelector({ config, l1, confirmed: behind(options.sequencer.l1Confirmations), clock }),
          engine,
          forkStop,
          conductor,
          state: conductor.enabled ? NO_SEQUENCER_STATE : createSequencerState(deps.store),
          signed: createSignedBlocks(record, l1, refs),
          publish,
          caughtUp: () => driver.caughtUpOnce,
          clock,
          log,
          metrics,
          degraded,
          wake: () => driver.wake(),
        })
  const driver: Driver = createDriver(options, {
    config,
    pipeline,
    engine,
    refused,
    l1,
    l2,
    refs,
    safeHeads,
    forkStop,
    walk: createSyncWalk(deps.store, clock),
    onStart: (from) => deps.onDerivationStart?.(from),
    sequencer,
    peers: gossip,
    clock,
    log,
    metrics,
    degraded,
    trace,
    violations: deps.violations ?? null,
    cannotSync: deps.cannotSync ?? (async () => null),
  })
  const submit: Driver['submit'] = (input) => {
    if (input.kind === 'l1-head') l1Head = input.block
    return driver.submit(input)
  }
  const l1Watcher = createL1Watcher({
    l1,
    submit,
    degraded,
    metrics,
    clock,
    log: log.child('l1'),
    allowFinalizedReorg: options.allowFinalizedReorg,
  })
  gossip?.onPayload((envelope, from) => {
    const { blockNumber, blockHash } = envelope.payload
    // another has the same key: what it may have signed at this height is not known
    if (sequencer !== null)
      record.others(blockNumber, blockHash).catch((error: unknown) => log.warn('not noted', { reason: messageOf(error) }))
    submit({ kind: 'unsafe-payload', envelope, from })
  })
  const attestations =
    gossip === null || deps.staking === undefined
      ? null
      : createAttestationService(
          { chainId: config.l2ChainId, blockTimeMs: config.blockTimeSec * 1000, contract: deps.staking.contract },
          { ...deps, reader: deps.staking.reader, gossip, heads: () => numbersOf(driver.heads) },
        )
  gossip?.serve(
    createPayloadServer({
      blocks: l2,
      range: () => ({ first: config.genesis.l2.number, last: blockDueAt(config, clock.nowMs()) }),
      limits: options.serving,
      clock,
      log,
      onAnswer: metrics.servedPayload,
    }),
  )
  const rollup = { config, driver, l2, refs, safeHeads, version: options.version }
  const loop = createDriverLoop({ driver, l1Watcher, clock, log, pollIntervalMs: options.l1PollIntervalMs, l1News: deps.l1News ?? null })
  return {
    name: 'consensus',
    driver,
    l1Watcher,
    sequencer,
    safeHeads,
    rollupApi: createRollupApi(rollup),
    methods: { ...createRollupMethods(rollup), ...createAttestationMethods(attestations), ...createP2pMethods(gossip) },
    adminMethods: { ...createAdminMethods({ driver, sequencer, setLogLevel: deps.setLogLevel ?? null }), ...createP2pAdminMethods(gossip) },
    checks: createHealthChecks(options, { driver, forkStop, gossip, clock }),
    failure: loop.failure,
    async start(signal) {
      await gossip?.start()
      await attestations?.start(signal)
      loop.start()
    },
    async stop() {
      await loop.stop()
      await settled()
      await attestations?.stop()
      await gossip?.stop()
    },
    async settle() {
      while ((await driver.step()) || driver.reading) if (driver.reading) await driver.waitForWork()
      await settled()
      await attestations?.step()
    },
  }
}

function numbersOf(heads: DriverHeads | null) {
  return heads === null ? null : { unsafe: heads.unsafe.number, safe: heads.safe.number, finalized: heads.finalized.number }
}

/** Number of the block whose time it is. */
function blockDueAt({ genesis, blockTimeSec }: RollupConfig, nowMs: number): number {
  return genesis.l2.number + Math.max(0, Math.floor((nowMs / 1000 - genesis.l2TimestampSec) / blockTimeSec))
}
