import type { RollupConfig } from '@keelson/chainspec'
import { type DerivedAttributes, depositsOnly } from '@keelson/derivation'
import { inclusionTime, type L2BlockRef, type Logger, l2Time, type PayloadAttributes, type PayloadEnvelope } from '@keelson/primitives'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { NewerRules, UnsafeBlock } from '../../newer-rules/newer-rules.ts'
import type { L2BlockSource } from '../../ports.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import { attributesMismatch } from './attributes-match.ts'

export interface DerivedBlockDependencies {
  readonly config: Pick<RollupConfig, 'forks'>
  readonly engine: Pick<EngineControl, 'heads' | 'promote' | 'startBuild' | 'seal' | 'insertDerived'>
  readonly l2: Pick<L2BlockSource, 'payload'>
  readonly refs: Pick<L2Refs, 'refOf'>
  readonly newerRules: Pick<NewerRules, 'stopsAt' | 'passed'>
  readonly log: Logger
}

export type DerivedOutcome =
  | { readonly kind: 'consolidated'; readonly block: L2BlockRef }
  | { readonly kind: 'built'; readonly block: L2BlockRef }
  /** The batch was invalid, so the block has deposits only. The caller must flush the channel. */
  | { readonly kind: 'built-deposits-only'; readonly block: L2BlockRef; readonly reason: string }
  /** An invalid batch before Holocene: the caller tries the next batch. */
  | { readonly kind: 'dropped'; readonly reason: string }
  /** The sequencer's block for this batch is one that this release cannot make: the caller keeps the attributes. */
  | { readonly kind: 'stopped' }

/**
 * Makes derived attributes a block: the unsafe block if it matches, else a new one. Throws ConsensusError
 * `consensus/engine-rejected-deposits` (critical) and what EngineControl throws. specs:
 * protocol/derivation.md#l1-consolidation-payload-attributes-matching, holocene/derivation.md#engine-queue
 */
export async function applyDerived(deps: DerivedBlockDependencies, derived: DerivedAttributes): Promise<DerivedOutcome> {
  const existing = await readUnsafe(deps, derived)
  if (existing !== null && existing.difference === null) {
    const block = deps.refs.refOf(existing.envelope)
    deps.engine.promote(block, derived.becomesSafe)
    await deps.newerRules.passed(block.number)
    return { kind: 'consolidated', block }
  }
  const reproduces = (block: PayloadEnvelope) => buildsTo(deps, derived, block)
  if (await deps.newerRules.stopsAt(derived, existing, reproduces)) return { kind: 'stopped' }
  if (existing !== null) warnOfDifference(deps, derived, existing)
  const outcome = await buildDerived(deps, derived)
  if (outcome.kind !== 'dropped') await deps.newerRules.passed(outcome.block.number)
  return outcome
}

type Built = Exclude<DerivedOutcome, { kind: 'consolidated' | 'stopped' }>

async function buildDerived(deps: DerivedBlockDependencies, derived: DerivedAttributes): Promise<Built> {
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

/** The block of the unsafe chain at the place of the derived one, and the first difference, or null. */
async function readUnsafe({ config, engine, l2 }: DerivedBlockDependencies, derived: DerivedAttributes): Promise<UnsafeBlock | null> {
  const { parent } = derived
  const unsafe = engine.heads?.unsafe
  if (unsafe === undefined || unsafe.number <= parent.number) return null
  const envelope = await l2.payload(parent.number + 1)
  if (envelope === null) return null
  const rules = config.forks.blockRules(l2Time(derived.attributes.timestampSec))
  return { envelope, difference: attributesMismatch(derived.attributes, parent.hash, envelope, rules) }
}

function warnOfDifference(
  { engine, log }: DerivedBlockDependencies,
  { parent, derivedFrom }: DerivedAttributes,
  existing: UnsafeBlock,
): void {
  log.warn('an unsafe block differs from L1; rebuilding the chain from there', {
    number: parent.number + 1,
    hash: existing.envelope.payload.blockHash,
    difference: existing.difference,
    unsafeBlocksDropped: (engine.heads?.unsafe.number ?? parent.number) - parent.number,
    derivedFromL1: describeBlock(derivedFrom),
  })
}

/** Reports whether the derived attributes give this block. The built block is not inserted. */
async function buildsTo(
  { config, engine }: DerivedBlockDependencies,
  derived: DerivedAttributes,
  block: PayloadEnvelope,
): Promise<boolean> {
  const { attributes, parent } = derived
  const rules = config.forks.blockRules(l2Time(attributes.timestampSec))
  if (attributesMismatch(attributes, parent.hash, block, rules) !== null) return false
  const sealed = await seal(engine, parent, attributes)
  return sealed.kind === 'sealed' && sealed.envelope.payload.blockHash === block.payload.blockHash
}

type BuildResult = { readonly kind: 'built'; readonly block: L2BlockRef } | { readonly kind: 'invalid'; readonly reason: string }

async function build(
  { engine }: DerivedBlockDependencies,
  derived: DerivedAttributes,
  attributes: PayloadAttributes,
  becomesSafe: boolean,
): Promise<BuildResult> {
  const sealed = await seal(engine, derived.parent, attributes)
  if (sealed.kind === 'invalid') return sealed
  const inserted = await engine.insertDerived(sealed.envelope, becomesSafe)
  return inserted.kind === 'inserted' ? { kind: 'built', block: inserted.block } : inserted
}

type Sealed = { readonly kind: 'sealed'; readonly envelope: PayloadEnvelope } | { readonly kind: 'invalid'; readonly reason: string }

/** Builds a block and does not insert it. */
async function seal(engine: DerivedBlockDependencies['engine'], parent: L2BlockRef, attributes: PayloadAttributes): Promise<Sealed> {
  const start = await engine.startBuild(parent, attributes)
  if (start.kind === 'invalid') return start
  const envelope = await engine.seal(start.payloadId)
  if (envelope !== null) return { kind: 'sealed', envelope }
  throw new ConsensusError(
    'consensus/engine-unavailable',
    'temporary',
    `the engine lost the build on ${describeBlock(parent)}; the build is retried`,
  )
}

function depositsRejected(derived: DerivedAttributes, reason: string): ConsensusError {
  return new ConsensusError(
    'consensus/engine-rejected-deposits',
    'critical',
    `the engine rejects a deposits-only block after ${describeBlock(derived.parent)}: ${reason}; execution client and rollup configuration do not agree`,
    { parent: derived.parent.hash, derivedFrom: derived.derivedFrom.hash },
  )
}
