/**
 * The only writer of the execution client: every change of a head goes through here, one call at a
 * time, is checked, and leaves heads and forkchoice consistent. specs: protocol/derivation.md#engine-queue
 */
import type { BlockId, BuiltPayload, EngineApi, L2BlockRef, PayloadAttributes, PayloadEnvelope, PayloadId } from '@keelson/primitives'
import { describeBlock } from '../../blocks/describe-block.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { DriverHeads } from '../driver-api.ts'
import type { ResetReason } from '../reset/reset-reason.ts'
import { createEngineCalls, engineSyncing, requireKnownHead } from './engine-calls.ts'
import { createHeadInvariants, type HeadMove } from './invariants.ts'
import type { DriverTrace } from './trace.ts'

export type BuildStart = { readonly kind: 'started'; readonly payloadId: PayloadId } | { readonly kind: 'invalid'; readonly reason: string }
export type Insertion = { readonly kind: 'inserted'; readonly block: L2BlockRef } | { readonly kind: 'invalid'; readonly reason: string }
export type Offer = { readonly kind: 'valid' | 'syncing' } | { readonly kind: 'invalid'; readonly reason: string }

/**
 * All methods throw ConsensusError `consensus/engine-unavailable` (temporary), `consensus/engine-syncing` or
 * `consensus/engine-forkchoice` (reset: what the engine holds has to be looked at anew), and leave the heads as they were;
 * InvariantViolation (critical) when the heads would become what they must not be.
 */
export interface EngineControl {
  /** Null before the first `adopt`. */
  readonly heads: DriverHeads | null
  /** Heads as the engine was last told: what others may be told too, since they will ask the engine for these blocks. */
  readonly told: DriverHeads | null
  /** Heads as a reset found them; told to the engine at once. */
  adopt(heads: DriverHeads, reason: ResetReason): Promise<void>
  /** Starts building on `parent`, which becomes the unsafe head when it is not yet. */
  startBuild(parent: L2BlockRef, attributes: PayloadAttributes): Promise<BuildStart>
  /** Null when the engine no longer knows the build. */
  seal(id: PayloadId): Promise<BuiltPayload | null>
  /** Executes a block on the unsafe head and makes it the new one. */
  insertUnsafe(envelope: PayloadEnvelope): Promise<Insertion>
  /**
   * Executes a block derived from L1, which becomes unsafe and pending safe, and safe when `becomesSafe` is set. As with
   * `promote`, the engine receives the new heads with the next `flush` or other call.
   */
  insertDerived(envelope: PayloadEnvelope, becomesSafe: boolean): Promise<Insertion>
  /** An existing block is what L1 demands; the engine learns of it with the next `flush` or other call. */
  promote(block: L2BlockRef, becomesSafe: boolean): void
  /** Forgets a pending-safe part that will not be concluded. */
  dropPendingSafe(): void
  /** `derivedFrom` is the L1 block that led to it, which `finalizedL1` must have reached. */
  finalize(block: L2BlockRef, derivedFrom: BlockId, finalizedL1: BlockId): void
  /** Gives the engine a block far ahead as its new head, for it to fetch what is below. The heads stay as they are. */
  offer(envelope: PayloadEnvelope): Promise<Offer>
  /** The engine has fetched the chain up to this block, which becomes safe and final: nothing below can be judged by L1. */
  adoptSynced(block: L2BlockRef): Promise<void>
  /** Tells the engine of the heads as they are; nothing to do when it knows. */
  flush(): Promise<void>
  /** Changes of the heads that the engine has not been told of. */
  readonly unflushed: number
}

export interface EngineControlDependencies {
  readonly engine: EngineApi
  readonly refs: Pick<L2Refs, 'refOf' | 'find'>
  readonly trace: DriverTrace
  /** A reset may take back what is final. */
  readonly allowFinalizedReorg: boolean
  /** Given each block the engine has found valid. */
  readonly onExecuted: (envelope: PayloadEnvelope) => void
  /** Given the unsafe head whenever the heads change; must not throw. */
  readonly onUnsafe?: (head: L2BlockRef) => void
}

export function createEngineControl(deps: EngineControlDependencies): EngineControl {
  const { engine, refs, trace, allowFinalizedReorg, onExecuted } = deps
  const calls = createEngineCalls(engine, trace)
  const invariants = createHeadInvariants(refs)
  let heads: DriverHeads | null = null
  let told: DriverHeads | null = null
  let unflushed = 0

  const current = (): DriverHeads => {
    if (heads === null) throw new ConsensusError('consensus/not-started', 'critical', 'the engine was used before the first reset')
    return heads
  }
  const become = (target: DriverHeads, move: HeadMove): void => {
    invariants.moved(heads, target, move)
    heads = target
    deps.onUnsafe?.(target.unsafe)
  }
  const becomeTold = (target: DriverHeads, move: HeadMove): void => {
    become(target, move)
    told = target
    unflushed = 0
  }
  /** Tells the engine at once. */
  const apply = async (target: DriverHeads, move: HeadMove): Promise<void> => {
    invariants.check(heads, target, move)
    requireKnownHead(await calls.forkchoice(target), target.unsafe)
    becomeTold(target, move)
  }
  /** The engine is told later. */
  const setHeads = (target: DriverHeads, move: HeadMove): void => {
    invariants.check(heads, target, move)
    trace.note(`heads: ${move.kind}`, { unsafe: target.unsafe.number, pendingSafe: target.pendingSafe.hash, safe: target.safe.number })
    become(target, move)
    unflushed++
  }
  const execute = async (envelope: PayloadEnvelope): Promise<Insertion> => {
    const block = refs.refOf(envelope)
    const status = await calls.newPayload(block, envelope)
    if (status.status === 'INVALID') return { kind: 'invalid', reason: status.reason }
    if (status.status !== 'VALID') throw engineSyncing(block)
    onExecuted(envelope)
    return { kind: 'inserted', block }
  }
  const advancePendingSafe = (block: L2BlockRef, becomesSafe: boolean) => ({
    pendingSafe: block,
    safe: becomesSafe ? block : current().safe,
  })

  return {
    get heads() {
      return heads
    },
    get told() {
      return told
    },
    get unflushed() {
      return unflushed
    },
    async adopt(target, reason) {
      const before = heads
      // by number: that is asked of the engine itself each time
      const lost = before !== null && (await refs.find(before.finalized.number)) === null
      const move: HeadMove = { kind: 'reset', reason, mayUnfinalize: allowFinalizedReorg || lost }
      await apply(target, move)
      await invariants.checkChain(before, target, move)
    },
    async startBuild(parent, attributes) {
      const before = current()
      const target = { ...before, unsafe: parent }
      invariants.check(before, target, { kind: 'build' })
      const result = await calls.forkchoiceWithAttributes(target, attributes)
      if (result.kind === 'invalid') {
        // the engine has moved its head to the parent before it judged the attributes
        if (parent.hash !== before.unsafe.hash) await apply(before, { kind: 'told' })
        return result
      }
      requireKnownHead(result.forkchoice.status, parent)
      becomeTold(target, { kind: 'build' })
      if (result.forkchoice.payloadId === null) {
        throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine began no build on ${describeBlock(parent)}`)
      }
      return { kind: 'started', payloadId: result.forkchoice.payloadId }
    },
    seal: (id) => calls.getPayload(id),
    async insertUnsafe(envelope) {
      const result = await execute(envelope)
      if (result.kind === 'inserted') await apply({ ...current(), unsafe: result.block }, { kind: 'unsafe' })
      return result
    },
    async insertDerived(envelope, becomesSafe) {
      const result = await execute(envelope)
      if (result.kind === 'invalid') return result
      // the engine hears of it with the build of the next block, or with `flush`: one request fewer for each block
      setHeads({ ...current(), unsafe: result.block, ...advancePendingSafe(result.block, becomesSafe) }, { kind: 'derived' })
      return result
    },
    promote(block, becomesSafe) {
      setHeads({ ...current(), ...advancePendingSafe(block, becomesSafe) }, { kind: 'confirmed' })
    },
    dropPendingSafe() {
      become({ ...current(), pendingSafe: current().safe }, { kind: 'pending-dropped' })
    },
    finalize(block, derivedFrom, finalizedL1) {
      setHeads({ ...current(), finalized: block }, { kind: 'finalized', derivedFrom, finalizedL1 })
    },
    async offer(envelope) {
      const block = refs.refOf(envelope)
      const status = await calls.newPayload(block, envelope)
      if (status.status === 'INVALID') return { kind: 'invalid', reason: status.reason }
      const head = await calls.forkchoice({ ...current(), unsafe: block })
      if (head.status === 'INVALID') return { kind: 'invalid', reason: head.reason }
      return { kind: status.status === 'VALID' && head.status === 'VALID' ? 'valid' : 'syncing' }
    },
    async adoptSynced(block) {
      await apply({ unsafe: block, pendingSafe: block, safe: block, finalized: block }, { kind: 'engine-synced' })
    },
    async flush() {
      if (unflushed > 0) await apply(current(), { kind: 'told' })
    },
  }
}
