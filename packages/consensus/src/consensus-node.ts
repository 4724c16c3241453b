import type { L1ChainConfig, RollupConfig } from '@keelson/chainspec'
import type { BlobReader, Decompressor, L1Reader } from '@keelson/derivation'
import type { Address, Clock, Crypto, EngineApi, L1BlockRef, Logger, RollupApi } from '@keelson/primitives'
import type { HealthCheck, KeyValueStore, Metrics, RpcMethods, Service } from '@keelson/runtime'
import { assembleChain } from './assembly/assemble-chain.ts'
import { assembleDriver } from './assembly/assemble-driver.ts'
import { assembleSequencer } from './assembly/assemble-sequencer.ts'
import { blockOf, NO_SPANS, withPublishSpans } from './block-spans.ts'
import type { L2Heads } from './blocks/l2-heads.ts'
import { createDegradedStates, type DegradedStates, registerDegradedMetric } from './degraded-states.ts'
import type { Driver } from './driver/driver.ts'
import type { CannotSync } from './driver/engine/engine-sync.ts'
import type { ViolationWriter } from './driver/engine/violation.ts'
import { messageOf } from './errors.ts'
import { createL1Watcher, type L1Watcher } from './l1/l1-watcher.ts'
import { type ConsensusMetrics, createConsensusMetrics } from './metrics.ts'
import type { UnreadableBlock } from './newer-rules/signed-conflict.ts'
import type { ConsensusNodeOptions } from './options.ts'
import { type AttestationService, createAttestationService } from './p2p/attestations/attestation-service.ts'
import { createPayloadServer } from './p2p/exchange/payload-server.ts'
import type { UnsafeGossip } from './p2p/gossip/unsafe-gossip.ts'
import type { BlockSpans, Conductor, ContractReader, L1News, L2BlockSource } from './ports.ts'
import { createHealthChecks } from './readiness.ts'
import { createAdminMethods, type SetLogLevel } from './rpc/admin-rpc.ts'
import { limitConsensusArguments } from './rpc/argument-counts.ts'
import { createAttestationMethods } from './rpc/attestation-rpc.ts'
import { createP2pAdminMethods, createP2pMethods } from './rpc/p2p-rpc.ts'
import { createRollupApi, createRollupMethods } from './rpc/rollup-rpc.ts'
import { createDriverLoop } from './run-loop.ts'
import { SOLE_CONDUCTOR } from './sequencer/conductors.ts'
import { createSignedPublisher } from './sequencer/publish-signed.ts'
import type { Sequencer } from './sequencer/sequencer.ts'
import { createSigningRecord, type SigningRecord } from './sequencer/signing-record.ts'
import type { SafeHeadStore } from './store/safe-head-store.ts'

export interface ConsensusNodeDependencies {
  readonly config: RollupConfig
  readonly l1Chain: L1ChainConfig
  readonly l1: L1Reader
  readonly blobs: BlobReader
  readonly l1News?: L1News | null
  /** Called once, with the L1 block from which derivation reads. */
  readonly onDerivationStart?: (from: L1BlockRef) => void
  readonly engine: EngineApi
  readonly l2: L2BlockSource
  /** Null disables gossip. Must be given the same `degraded` as this node. */
  readonly gossip: UnsafeGossip | null
  readonly staking?: { readonly contract: Address; readonly reader: ContractReader }
  readonly conductor?: Conductor
  readonly setLogLevel?: SetLogLevel
  /** Buckets 0x80 to 0x82 and 0x86 to 0x88; the caller closes it. */
  readonly store: KeyValueStore
  readonly decompressor: Decompressor
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly violations?: ViolationWriter
  readonly cannotSync?: CannotSync
  readonly degraded?: DegradedStates
  /** Default: none are recorded. */
  readonly spans?: BlockSpans
}

export interface ConsensusNode extends Service {
  readonly driver: Driver
  readonly l1Watcher: L1Watcher
  readonly sequencer: Sequencer | null
  readonly safeHeads: SafeHeadStore
  readonly rollupApi: RollupApi
  readonly methods: RpcMethods
  readonly adminMethods: RpcMethods
  readonly checks: readonly HealthCheck[]
  /** For simulations: runs the node until it has no work left. */
  settle(): Promise<void>
}

export function createConsensusNode(options: ConsensusNodeOptions, deps: ConsensusNodeDependencies): ConsensusNode {
  const { config, l1, clock, log, gossip, spans = NO_SPANS } = deps
  const metrics = createConsensusMetrics(deps.metrics)
  const degraded = deps.degraded ?? createDegradedStates(clock, log)
  registerDegradedMetric(deps.metrics, degraded)
  const chain = assembleChain(options, deps, { metrics, degraded, spans })
  const record = createSigningRecord(deps.store, {
    genesis: config.genesis.l2.number,
    dueIn: (aheadMs) => blockDueAt(config, clock.nowMs() + aheadMs),
  })
  const published = gossip === null ? null : withPublishSpans(gossip, spans, clock)
  const { publish, settled } = createSignedPublisher(published, record, log, deps.metrics, clock)
  const conductor = deps.conductor ?? SOLE_CONDUCTOR
  const sequencer =
    options.role === 'follower'
      ? null
      : assembleSequencer(options.sequencer, chain, { ...deps, conductor, record, publish, metrics, degraded, spans })
  const driver = assembleDriver(options, chain, {
    ...deps,
    sequencer,
    peers: gossip,
    metrics,
    degraded,
    violations: deps.violations ?? null,
    cannotSync: deps.cannotSync ?? (async () => null),
    onStart: (from) => deps.onDerivationStart?.(from),
  })
  const stoppedBefore = chain.newerRules.restore()
  if (stoppedBefore !== null) driver.submit({ kind: 'unsafe-payload', envelope: stoppedBefore, from: 'the last run' })
  const l1Watcher = createL1Watcher({
    l1,
    view: chain.view,
    degraded,
    metrics,
    clock,
    log: log.child('l1'),
    allowFinalizedReorg: options.allowFinalizedReorg,
  })
  const attestations = connectGossip(options, deps, {
    driver,
    l2: chain.l2,
    metrics,
    spans,
    record: sequencer === null ? null : record,
    unreadable: (block) => chain.newerRules.unreadable(block),
  })
  const listens = gossip !== null && sequencer === null
  const rollup = { config, listens, driver, l2: chain.l2, refs: chain.refs, safeHeads: chain.safeHeads, version: options.release.version }
  const loop = createDriverLoop({ driver, l1Watcher, clock, log, pollIntervalMs: options.l1PollIntervalMs, l1News: deps.l1News ?? null })
  const failure = Promise.race([loop.failure, ...(attestations?.failure === undefined ? [] : [attestations.failure])])
  // Tests may step the node without awaiting `failure`; this avoids an unhandled rejection.
  failure.catch(() => undefined)
  return {
    name: 'consensus',
    driver,
    l1Watcher,
    sequencer,
    safeHeads: chain.safeHeads,
    rollupApi: createRollupApi(rollup),
    methods: limitConsensusArguments({
      ...createRollupMethods(rollup),
      ...createAttestationMethods(attestations),
      ...createP2pMethods(gossip),
    }),
    adminMethods: limitConsensusArguments({
      ...createAdminMethods({ driver, sequencer, setLogLevel: deps.setLogLevel ?? null }),
      ...createP2pAdminMethods(gossip),
    }),
    checks: createHealthChecks(options, { driver, view: chain.view, stops: chain, gossip, clock }),
    failure,
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

interface GossipUsers {
  readonly driver: Driver
  readonly l2: L2BlockSource
  readonly metrics: ConsensusMetrics
  readonly spans: BlockSpans
  readonly record: SigningRecord | null
  readonly unreadable: (block: UnreadableBlock) => void
}

function connectGossip(options: ConsensusNodeOptions, deps: ConsensusNodeDependencies, users: GossipUsers): AttestationService | null {
  const { config, clock, gossip, log, staking } = deps
  const { driver, l2, metrics, spans, record } = users
  if (gossip === null) return null
  gossip.onPayload((envelope, from) => {
    const { blockNumber, blockHash } = envelope.payload
    const nowMs = clock.nowMs()
    spans.record({ step: 'receive', block: blockOf(envelope.payload), startMs: nowMs, endMs: nowMs, facts: { from } })
    // another node has the same key and may have signed other blocks at this height
    record?.others(blockNumber, blockHash).catch((error: unknown) => {
      log.warn('a block of another sequencer was not recorded', { reason: messageOf(error) })
    })
    driver.submit({ kind: 'unsafe-payload', envelope, from })
  })
  gossip.onUnreadable(users.unreadable)
  gossip.serve(
    createPayloadServer({
      blocks: l2,
      range: () => ({ first: config.genesis.l2.number, last: blockDueAt(config, clock.nowMs()) }),
      limits: options.serving,
      clock,
      log,
      onAnswer: metrics.servedPayload,
    }),
  )
  if (staking === undefined) return null
  return createAttestationService(
    { chainId: config.l2ChainId, blockTimeMs: config.blockTimeSec * 1000, contract: staking.contract },
    { ...deps, reader: staking.reader, gossip, heads: () => numbersOf(driver.heads) },
  )
}

function numbersOf(heads: L2Heads | null) {
  return heads === null ? null : { unsafe: heads.unsafe.number, safe: heads.safe.number, finalized: heads.finalized.number }
}

function blockDueAt({ genesis, blockTimeSec }: RollupConfig, nowMs: number): number {
  return genesis.l2.number + Math.max(0, Math.floor((nowMs / 1000 - genesis.l2TimestampSec) / blockTimeSec))
}
