import type { RollupConfig } from '@keelson/chainspec'
import type { L1Reader } from '@keelson/derivation'
import type { Clock, L1BlockRef, Logger } from '@keelson/primitives'
import type { DegradedStates } from '../degraded-states.ts'
import { Driver, type SequencerPart } from '../driver/driver.ts'
import { type CannotSync, createEngineSync } from '../driver/engine/engine-sync.ts'
import { type ViolationWriter, withBundle } from '../driver/engine/violation.ts'
import { createFailures } from '../driver/failures.ts'
import type { ResetReason } from '../driver/reset/reset-reason.ts'
import { ResetSchedule } from '../driver/reset/reset-schedule.ts'
import { resetDriver } from '../driver/reset/reset-steps.ts'
import { Finality } from '../driver/safe/finality.ts'
import { SafeChain } from '../driver/safe/safe-chain.ts'
import { createForkedFromPeers } from '../driver/unsafe/forked-from-peers.ts'
import { createGapFiller } from '../driver/unsafe/gap-filler.ts'
import { createHeardHead } from '../driver/unsafe/heard-head.ts'
import { UnsafeFollower } from '../driver/unsafe/unsafe-follower.ts'
import { createWhyBehind } from '../driver/why-behind.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import type { ConsensusNodeOptions } from '../options.ts'
import type { BlockGossip } from '../ports.ts'
import type { Chain } from './assemble-chain.ts'

export interface DriverDependencies {
  readonly config: RollupConfig
  readonly l1: L1Reader
  readonly sequencer: SequencerPart | null
  readonly peers: Pick<BlockGossip, 'requestPayload' | 'peers'> | null
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: ConsensusMetrics
  readonly degraded: DegradedStates
  readonly violations: ViolationWriter | null
  readonly cannotSync: CannotSync
  readonly onStart: (l1Origin: L1BlockRef) => void
}

export function assembleDriver(options: ConsensusNodeOptions, chain: Chain, deps: DriverDependencies): Driver {
  const { inputs, view, engine, refs, derivation, forkStop, newerRules, safeHeads, trace } = chain
  const { config, l1, sequencer, peers, clock, metrics, degraded, onStart } = deps
  const { allowFinalizedReorg, release } = options
  const log = deps.log.child('driver')
  const gaps = peers === null ? null : createGapFiller({ peers, l2: chain.l2, inputs, clock, log })
  const forked = createForkedFromPeers(clock, degraded)
  const unsafeBlocks = new UnsafeFollower(options.maxUnsafeQueueBytes, {
    engine,
    refused: chain.refused,
    refs,
    forkStop,
    metrics,
    degraded,
    log,
    gaps,
    builds: () => sequencer !== null && sequencer.nextDueMs() !== null,
    forked,
    newerRules,
  })
  // a sequencer builds the unsafe blocks itself and expects none from peers
  const countPeers = sequencer === null && peers !== null ? () => peers.peers().length : null
  const whyBehind = createWhyBehind(options, { peers: countPeers, clock, degraded })
  const resets = new ResetSchedule(clock, degraded)
  const failures = createFailures({ clock, degraded, metrics, resets })
  const finality = new Finality({ view, l1, refs, safeHeads, engine })
  const safeChain = new SafeChain({ view, engine, derivation, finality, resets, failures })
  const engineSync = createEngineSync(options.syncMode, {
    genesisNumber: config.genesis.l2.number,
    engine,
    refs,
    unsafeBlocks,
    resets,
    cannotSync: deps.cannotSync,
    degraded,
    clock,
    log,
  })
  const search = { config, l1, l2: refs, safeHeads, allowFinalizedReorg, walk: chain.walk }
  const reset = (reason: ResetReason) =>
    resetDriver(reason, {
      search,
      view,
      engine,
      engineSync,
      safeChain,
      unsafeBlocks,
      sequencer,
      resets,
      onStart,
      metrics,
      trace,
      log,
    })
  const reportViolation = (error: unknown) => {
    const { head, safe, finalized } = view
    const atMs = clock.nowMs()
    return withBundle(error, deps.violations, {
      config,
      version: release.version,
      atMs,
      l1: { head, safe, finalized, derivation: derivation.currentL1 },
      trace,
    })
  }
  return new Driver({
    inputs,
    view,
    engine,
    engineSync,
    sequencer,
    unsafeBlocks,
    heard: createHeardHead(clock),
    safeChain,
    resets,
    reset,
    failures,
    forkStop,
    whyBehind,
    degraded,
    trace,
    reportViolation,
    clock,
  })
}
