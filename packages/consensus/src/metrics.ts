/** Metrics that op-node also has use its names. */
import type { DropEvent, StageName } from '@keelson/derivation'
import type { BlockId, L1BlockRef } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import type { L2Heads } from './blocks/l2-heads.ts'

export interface ConsensusMetrics {
  heads(heads: L2Heads): void
  l1(label: 'head' | 'safe' | 'finalized', block: L1BlockRef): void
  l1LabelRefused(label: 'safe' | 'finalized', fault: string): void
  derivationOrigin(block: L1BlockRef): void
  derivedBlock(outcome: 'consolidated' | 'built' | 'built-deposits-only' | 'dropped'): void
  dropped(event: DropEvent): void
  derivationError(severity: 'temporary' | 'reset'): void
  reset(kind: string): void
  unsafeInvalid(): void
  servedPayload(result: string): void
  sequenced(times: SequencedTimes): void
  sequencerError(): void
}

export interface SequencedTimes {
  readonly buildMs: number
  readonly sealMs: number
  readonly commitMs: number
  readonly insertMs: number
  /** Delay after the block's timestamp; negative if earlier. */
  readonly lateMs: number
  /** The next block was already due. */
  readonly missedSlot: boolean
}

const SEC = 1000
const STAGES: Readonly<Record<StageName, true>> = {
  'l1-traversal': true,
  'l1-retrieval': true,
  'frame-queue': true,
  'channel-bank': true,
  'channel-assembler': true,
  'channel-reader': true,
  'batch-stream': true,
  'batch-queue': true,
  'attributes-queue': true,
}
const START = {
  derived: ['consolidated', 'built', 'built-deposits-only', 'dropped'].map((outcome) => ({ outcome })),
  labels: ['safe', 'finalized'].map((label) => ({ label })),
  drops: Object.keys(STAGES).map((stage) => ({ stage })),
  errors: ['temporary', 'reset'].map((severity) => ({ severity })),
}

export function createConsensusMetrics(metrics: Metrics): ConsensusMetrics {
  const refNumber = metrics.gauge('refs_number', 'block number of a reference', ['layer', 'type'])
  const refTime = metrics.gauge('refs_time', 'timestamp of a reference, seconds since 1970', ['layer', 'type'])
  const derived = metrics.counter('derived_blocks_total', 'L2 blocks derived from L1, by outcome', ['outcome'], START.derived)
  const labels = metrics.counter('l1_labels_refused_total', 'rejected labels of L1, by fault', ['label', 'fault'], START.labels)
  const drops = metrics.counter('derivation_dropped_total', 'L1 data dropped by derivation', ['stage', 'reason'], START.drops)
  const errors = metrics.counter('derivation_errors_total', 'failures of the driver, by severity', ['severity'], START.errors)
  const resets = metrics.counter('pipeline_resets_total', 'resets of the derivation pipeline, by reason', ['kind'], [{}])
  const invalid = metrics.counter('unsafe_payloads_invalid_total', 'unsafe blocks that the engine rejected')
  const served = metrics.counter('payloads_served_total', 'block requests of peers, by result', ['result'], [{}])
  const times = metrics.histogram('sequencer_seconds', 'time the sequencer spends per block', ['step'])
  const late = metrics.histogram('sequencer_late_seconds', 'delay of a block after its timestamp')
  const missed = metrics.counter('sequencer_missed_slots_total', 'blocks inserted after the next one was due')
  const sequencerErrors = metrics.counter('sequencer_errors_total', 'failed attempts to build a block')
  const number = (layer: string, type: string, block: BlockId) => refNumber.set(block.number, { layer, type })
  const l1Ref = (type: string, block: L1BlockRef) => {
    number('l1', type, block)
    refTime.set(block.timestampSec, { layer: 'l1', type })
  }
  return {
    heads(heads) {
      for (const type of ['unsafe', 'pendingSafe', 'safe', 'finalized'] as const) {
        number('l2', type, heads[type])
        refTime.set(heads[type].timestampSec, { layer: 'l2', type })
      }
    },
    l1: l1Ref,
    l1LabelRefused: (label, fault) => labels.inc(1, { label, fault }),
    derivationOrigin: (block) => l1Ref('derived', block),
    derivedBlock: (outcome) => derived.inc(1, { outcome }),
    dropped: ({ stage, reason }) => drops.inc(1, { stage, reason }),
    derivationError: (severity) => errors.inc(1, { severity }),
    reset: (kind) => resets.inc(1, { kind }),
    unsafeInvalid: () => invalid.inc(),
    servedPayload: (result) => served.inc(1, { result }),
    sequenced({ buildMs, sealMs, commitMs, insertMs, lateMs, missedSlot }) {
      times.observe(buildMs / SEC, { step: 'build' })
      times.observe(sealMs / SEC, { step: 'seal' })
      times.observe(commitMs / SEC, { step: 'commit' })
      times.observe(insertMs / SEC, { step: 'insert' })
      late.observe(Math.max(0, lateMs) / SEC)
      if (missedSlot) missed.inc()
    },
    sequencerError: () => sequencerErrors.inc(),
  }
}
