import { createActivationWatch, FORK_ACTIVATES, type L1ChainConfig, type RollupConfig } from '@keelson/chainspec'
import {
  type AttributesBuilder,
  type BlobReader,
  createAttributesBuilder,
  createDerivationPipeline,
  type Decompressor,
  type DerivedAttributes,
  type L1Reader,
} from '@keelson/derivation'
import type { Clock, Crypto, EngineApi, Logger } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import { withDeriveSpans, withInsertSpans } from '../block-spans.ts'
import { createDerivedChain } from '../blocks/derived-chain.ts'
import { createL2Refs, type L2Refs, withEngineErrors } from '../blocks/l2-refs.ts'
import { createRecentPayloads, type RecentPayloads } from '../blocks/recent-payloads.ts'
import type { DegradedStates } from '../degraded-states.ts'
import { DriverInputs } from '../driver/driver-inputs.ts'
import { createDriverTrace, type DriverTrace } from '../driver/engine/driver-trace.ts'
import { EngineControl } from '../driver/engine/engine-control.ts'
import { DerivationLoop } from '../driver/safe/derivation-loop.ts'
import { applyDerived } from '../driver/safe/derived-block.ts'
import { createOriginNews } from '../driver/safe/origin-news.ts'
import { createRefusedBlocks, type RefusedBlocks } from '../driver/unsafe/refused-blocks.ts'
import { createForkStop, type ForkStop } from '../fork-stop.ts'
import { L1View, withConfirmationDepth } from '../l1/l1-view.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { createNewerBlockRecord } from '../newer-rules/newer-block-record.ts'
import { NewerRules } from '../newer-rules/newer-rules.ts'
import type { ConsensusNodeOptions } from '../options.ts'
import type { BlockSpans, L2BlockSource } from '../ports.ts'
import { createSafeHeadStore, type SafeHeadStore } from '../store/safe-head-store.ts'
import { createSyncWalk, type SyncWalk } from '../store/sync-walk.ts'

export interface ChainDependencies {
  readonly config: RollupConfig
  readonly l1Chain: L1ChainConfig
  readonly l1: L1Reader
  readonly blobs: BlobReader
  readonly engine: EngineApi
  readonly l2: L2BlockSource
  readonly store: KeyValueStore
  readonly decompressor: Decompressor
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Logger
}

export interface Chain {
  readonly inputs: DriverInputs
  readonly view: L1View
  /** L1 as if it ended this many blocks below its head. */
  readonly l1Behind: (depth: number) => L1Reader
  readonly l2: RecentPayloads
  readonly refs: L2Refs
  readonly engine: EngineControl
  readonly attributes: AttributesBuilder
  readonly derivation: DerivationLoop
  readonly safeHeads: SafeHeadStore
  readonly walk: SyncWalk
  readonly refused: RefusedBlocks
  readonly forkStop: ForkStop
  readonly newerRules: NewerRules
  readonly trace: DriverTrace
}

export function assembleChain(
  options: Pick<
    ConsensusNodeOptions,
    'allowFinalizedReorg' | 'maxQueuedInputs' | 'verifierL1Confirmations' | 'role' | 'release' | 'distrustedBlock'
  >,
  deps: ChainDependencies,
  watch: { readonly metrics: ConsensusMetrics; readonly degraded: DegradedStates; readonly spans: BlockSpans },
): Chain {
  const { config, l1, clock, log } = deps
  const { metrics, degraded, spans } = watch
  const inputs = new DriverInputs(options.maxQueuedInputs)
  const walk = createSyncWalk(deps.store, clock)
  const view = new L1View({ l1, metrics, walk, onChange: () => inputs.wake() })
  const l1Behind = (depth: number) => withConfirmationDepth(l1, depth, () => view.head)
  const l2 = createRecentPayloads(withEngineErrors(deps.l2))
  const refs = createL2Refs(config, l2)
  const trace = createDriverTrace(clock)
  const refused = createRefusedBlocks()
  const forkStop = createForkStop(config, degraded)
  const newerRules = new NewerRules(
    { config, release: options.release, followsSequencer: options.role === 'follower', distrustedBlock: options.distrustedBlock },
    { record: createNewerBlockRecord(deps.store), degraded, clock },
  )
  const activations = createActivationWatch(config.forks)
  const engine = new EngineControl({
    engine: withInsertSpans(deps.engine, spans, clock),
    refs,
    trace,
    allowFinalizedReorg: options.allowFinalizedReorg,
    onExecuted(envelope) {
      l2.remember(envelope)
      refused.forget(envelope.payload.blockHash)
    },
    onHeads(heads) {
      metrics.heads(heads)
      const { number, timestampSec } = heads.unsafe
      for (const fork of activations.head(timestampSec)) log.info(FORK_ACTIVATES, { fork, block: number, timestampSec })
    },
  })
  const attributes = createAttributesBuilder(config, deps.l1Chain, { l1, l2 })
  const pipeline = createDerivationPipeline(config, {
    l1: l1Behind(options.verifierL1Confirmations),
    blobs: deps.blobs,
    l2: createDerivedChain(engine, l2),
    decompressor: deps.decompressor,
    crypto: deps.crypto,
    attributes,
    observer: {
      dropped(event) {
        metrics.dropped(event)
        newerRules.dropped(event)
        log.debug('L1 data dropped', { stage: event.stage, reason: event.reason, l1: event.l1Origin.number, ...event.details })
      },
    },
  })
  const safeHeads = createSafeHeadStore(deps.store)
  const driverLog = log.child('driver')
  const apply = (derived: DerivedAttributes) => applyDerived({ config, engine, l2, refs, newerRules, log: driverLog }, derived)
  const derivation = new DerivationLoop({
    pipeline,
    engine,
    applyDerived: withDeriveSpans(apply, spans, clock),
    safeHeads,
    forkStop,
    newerRules,
    metrics,
    onOrigin: createOriginNews(metrics, view, clock, driverLog),
    log: driverLog,
    onSettled: () => inputs.wake(),
  })
  return { inputs, view, l1Behind, l2, refs, engine, attributes, derivation, safeHeads, walk, refused, forkStop, newerRules, trace }
}
