/**
 * Derived attributes become a block: the existing unsafe block when it is the same, else a new one.
 * specs: protocol/derivation.md#l1-consolidation-payload-attributes-matching, holocene/derivation.md#engine-queue
 */
import type { RollupConfig } from '@keelson/chainspec'
import { type DerivedAttributes, depositsOnly } from '@keelson/derivation'
import { inclusionTime, type L2BlockRef, type Logger, l2Time, type PayloadAttributes } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { L2BlockSource } from '../../ports.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import { attributesMismatch } from './attributes-match.ts'

export interface DerivedBlockDependencies {
  readonly config: RollupConfig
  readonly engine: EngineControl
  readonly l2: L2BlockSource
  readonly refs: L2Refs
  readonly log: Logger
}

export type DerivedOutcome =
  /** An existing unsafe block was confirmed. */
  | { readonly kind: 'consolidated'; readonly block: L2BlockRef }
  /** The engine built it. */
  | { readonly kind: 'built'; readonly block: L2BlockRef }
  /** The batch's transactions were invalid; a block of deposits stands in its place and the channel must be flushed. */
  | { readonly kind: 'built-deposits-only'; readonly block: L2BlockRef; readonly reason: string }
  /** Before strict ordering: the batch is to be dropped, and the next one for this height tried. */
  | { readonly kind: 'dropped'; readonly reason: string }

/** Throws ConsensusError `consensus/engine-rejected-deposits` (critical) and whatever EngineControl throws. */
export async function applyDerived(deps: DerivedBlockDependencies, derived: DerivedAttributes): Promise<DerivedOutcome> {
  const existing = await findConsolidated(deps, derived)
  if (existing !== null) {
    deps.engine.promote(existing, derived.becomesSafe)
    return { kind: 'consolidated', block: existing }
  }
  const built = await build(deps, derived, derived.attributes, derived.becomesSafe)
  if (built.kind === 'built') return built
  const { reason } = built
  const replacementAttributes = depositsOnly(derived.attributes)
  if (replacementAttributes.transactions.length === derived.attributes.transactions.length) throw depositsRejected(derived, reason)
  const { strictOrdering } = deps.config.forks.inclusionRules(inclusionTime(derived.derivedFrom))
  if (!strictOrdering) return { kind: 'dropped', reason }
  // the rest of the span is dropped with its channel
  const replacement = await build(deps, derived, replacementAttributes, true)
  if (replacement.kind === 'invalid') throw depositsRejected(derived, replacement.reason)
  return { kind: 'built-deposits-only', block: replacement.block, reason }
}

/** The unsafe block at this height when it is what L1 demands; null when there is none or it differs. */
async function findConsolidated(
  { config, engine, l2, refs, log }: DerivedBlockDependencies,
  derived: DerivedAttributes,
): Promise<L2BlockRef | null> {
  const { parent } = derived
  const unsafe = engine.heads?.unsafe
  if (unsafe === undefined || unsafe.number <= parent.number) return null
  const envelope = await l2.payload(parent.number + 1)
  if (envelope === null) return null
  const rules = config.forks.blockRules(l2Time(derived.attributes.timestampSec))
  const difference = attributesMismatch(derived.attributes, parent.hash, envelope, rules)
  if (difference === null) return refs.refOf(envelope)
  log.warn('an unsafe block is not what L1 says; building the chain anew from there', {
    number: parent.number + 1,
    hash: envelope.payload.blockHash,
    difference,
    unsafeBlocksDropped: unsafe.number - parent.number,
    derivedFromL1: describeBlock(derived.derivedFrom),
  })
  return null
}

type BuildResult = { readonly kind: 'built'; readonly block: L2BlockRef } | { readonly kind: 'invalid'; readonly reason: string }

async function build(
  { engine }: DerivedBlockDependencies,
  derived: DerivedAttributes,
  attributes: PayloadAttributes,
  becomesSafe: boolean,
): Promise<BuildResult> {
  const start = await engine.startBuild(derived.parent, attributes)
  if (start.kind === 'invalid') return start
  const sealed = await engine.seal(start.payloadId)
  if (sealed === null) {
    throw new ConsensusError(
      'consensus/engine-unavailable',
      'temporary',
      `the engine lost the build on ${describeBlock(derived.parent)}; it will be asked again`,
    )
  }
  const inserted = await engine.insertDerived(sealed, becomesSafe)
  return inserted.kind === 'inserted' ? { kind: 'built', block: inserted.block } : inserted
}

function depositsRejected(derived: DerivedAttributes, reason: string): ConsensusError {
  return new ConsensusError(
    'consensus/engine-rejected-deposits',
    'critical',
    `the engine refuses a block of deposits only after ${describeBlock(derived.parent)}: ${reason}; execution client and rollup configuration do not agree`,
    { parent: derived.parent.hash, derivedFrom: derived.derivedFrom.hash },
  )
}
