import type { RollupConfig } from '@keelson/chainspec'
import { type DerivedAttributes, depositsOnly } from '@keelson/derivation'
import { inclusionTime, type L2BlockRef, type Logger, l2Time, type PayloadAttributes } from '@keelson/primitives'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { L2BlockSource } from '../../ports.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import { attributesMismatch } from './attributes-match.ts'

export interface DerivedBlockDependencies {
  readonly config: Pick<RollupConfig, 'forks'>
  readonly engine: Pick<EngineControl, 'heads' | 'promote' | 'startBuild' | 'seal' | 'insertDerived'>
  readonly l2: Pick<L2BlockSource, 'payload'>
  readonly refs: Pick<L2Refs, 'refOf'>
  readonly log: Logger
}

export type DerivedOutcome =
  | { readonly kind: 'consolidated'; readonly block: L2BlockRef }
  | { readonly kind: 'built'; readonly block: L2BlockRef }
  /** The batch was invalid, so the block has deposits only. The caller must flush the channel. */
  | { readonly kind: 'built-deposits-only'; readonly block: L2BlockRef; readonly reason: string }
  /** An invalid batch before Holocene: the caller tries the next batch. */
  | { readonly kind: 'dropped'; readonly reason: string }

/**
 * Makes derived attributes a block: the unsafe block if it matches, else a new one. Throws ConsensusError
 * `consensus/engine-rejected-deposits` (critical) and what EngineControl throws. specs:
 * protocol/derivation.md#l1-consolidation-payload-attributes-matching, holocene/derivation.md#engine-queue
 */
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
  // the rest of the span batch is dropped with its channel
  const replacement = await build(deps, derived, replacementAttributes, true)
  if (replacement.kind === 'invalid') throw depositsRejected(derived, replacement.reason)
  return { kind: 'built-deposits-only', block: replacement.block, reason }
}

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
  log.warn('an unsafe block differs from L1; rebuilding the chain from there', {
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
      `the engine lost the build on ${describeBlock(derived.parent)}; the build is retried`,
    )
  }
  const inserted = await engine.insertDerived(sealed, becomesSafe)
  return inserted.kind === 'inserted' ? { kind: 'built', block: inserted.block } : inserted
}

function depositsRejected(derived: DerivedAttributes, reason: string): ConsensusError {
  return new ConsensusError(
    'consensus/engine-rejected-deposits',
    'critical',
    `the engine rejects a deposits-only block after ${describeBlock(derived.parent)}: ${reason}; execution client and rollup configuration do not agree`,
    { parent: derived.parent.hash, derivedFrom: derived.derivedFrom.hash },
  )
}
