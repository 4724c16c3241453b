import type { RollupConfig } from '@keelson/chainspec'
import type { L1Reader } from '@keelson/derivation'
import type { Clock, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { KeyValueStore } from '@keelson/runtime'
import type { DegradedStates } from '../degraded-states.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import type { SequencerOptions } from '../options.ts'
import type { BlockSpans, Conductor } from '../ports.ts'
import { BlockBuilder } from '../sequencer/block-builder.ts'
import { createOriginSelector } from '../sequencer/origin-selector.ts'
import { Sequencer } from '../sequencer/sequencer.ts'
import { createSequencerState, NO_SEQUENCER_STATE } from '../sequencer/sequencer-state.ts'
import { createSignedBlocks } from '../sequencer/signed-blocks.ts'
import type { SigningRecord } from '../sequencer/signing-record.ts'
import type { Chain } from './assemble-chain.ts'

export interface SequencerParts {
  readonly config: RollupConfig
  readonly l1: L1Reader
  readonly conductor: Conductor
  readonly record: SigningRecord
  readonly publish: (envelope: PayloadEnvelope) => void
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: ConsensusMetrics
  readonly degraded: DegradedStates
  readonly spans: BlockSpans
}

export function assembleSequencer(options: SequencerOptions, chain: Chain, parts: SequencerParts): Sequencer {
  const { config, l1, conductor, record, publish, clock, metrics, degraded, spans } = parts
  const { attributes, derivation, engine, forkStop, inputs, refs } = chain
  const log = parts.log.child('sequencer')
  const origins = createOriginSelector({ config, l1, confirmed: chain.l1Behind(options.l1Confirmations), clock })
  const signed = createSignedBlocks(record, l1, refs)
  const state = conductor.enabled ? NO_SEQUENCER_STATE : createSequencerState(parts.store)
  const builder = new BlockBuilder(options.sealingMarginMs, {
    config,
    attributes,
    origins,
    engine,
    conductor,
    signed,
    publish,
    clock,
    log,
    metrics,
    degraded,
    spans,
  })
  const wake = () => inputs.wake()
  return new Sequencer(options, { builder, origins, engine, derivation, forkStop, conductor, state, clock, log, degraded, wake })
}
