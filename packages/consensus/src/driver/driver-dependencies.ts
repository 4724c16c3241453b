/** What the driver is given. The sequencer is one of its parts, because it too writes to the engine. */
import type { RollupConfig } from '@keelson/chainspec'
import type { DerivationPipeline, L1Reader } from '@keelson/derivation'
import type { Clock, L1BlockRef, Logger } from '@keelson/primitives'
import type { L2Refs } from '../blocks/l2-refs.ts'
import type { DegradedStates } from '../degraded-states.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import type { L2BlockSource, UnsafeGossip } from '../ports.ts'
import type { SafeHeadStore } from '../store/safe-head-store.ts'
import type { SyncWalk } from '../store/sync-walk.ts'
import type { EngineControl } from './engine/engine-control.ts'
import type { CannotSync } from './engine/engine-sync.ts'
import type { DriverTrace } from './engine/trace.ts'
import type { ViolationWriter } from './engine/violation.ts'
import type { ForkStop } from './fork-stop.ts'
import type { RefusedBlocks } from './unsafe/refused-blocks.ts'

/** Work that the driver does when its time has come, between derivation's steps. */
export interface SequencerPart {
  /** Null when there is nothing to wait for. */
  nextDueMs(): number | null
  /** One unit of work; false when there was none after all. */
  step(): Promise<boolean>
  l1Moved(head: L1BlockRef): void
  /** `continues`: the chain is all that this node ever held, by its own records, so that building may go on at once. */
  onReset(continues: boolean): void
}

export interface DriverDependencies {
  readonly config: RollupConfig
  readonly pipeline: DerivationPipeline
  readonly engine: EngineControl
  readonly refused: RefusedBlocks
  readonly l1: L1Reader
  readonly l2: L2BlockSource
  readonly refs: L2Refs
  readonly safeHeads: SafeHeadStore
  readonly walk: SyncWalk
  /** Told once from which L1 block on derivation reads. */
  readonly onStart: (l1Origin: L1BlockRef) => void
  readonly forkStop: ForkStop
  /** Null on a node that only follows. */
  readonly sequencer: SequencerPart | null
  /** Peers that can be asked for blocks; null when gossip is off. */
  readonly peers: Pick<UnsafeGossip, 'requestPayload' | 'peers'> | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: ConsensusMetrics
  readonly degraded: DegradedStates
  /** Shared with the engine control. */
  readonly trace: DriverTrace
  /** Where a broken invariant is written down; null where nobody would look. */
  readonly violations: ViolationWriter | null
  /** Asked before the execution client is left to fetch the chain. */
  readonly cannotSync: CannotSync
}
