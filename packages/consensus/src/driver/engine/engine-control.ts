import type { BlockId, BuiltPayload, EngineApi, L2BlockRef, PayloadAttributes, PayloadEnvelope, PayloadId } from '@keelson/primitives'
import { describeBlock, type L2Heads } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import { ConsensusError } from '../../errors.ts'
import type { ResetReason } from '../reset/reset-reason.ts'
import type { DriverTrace } from './driver-trace.ts'
import { createEngineCalls, type EngineCalls, engineSyncing, requireKnownHead } from './engine-calls.ts'
import { createHeadInvariants, type HeadInvariants, type HeadMove } from './invariants.ts'

export type BuildStart = { readonly kind: 'started'; readonly payloadId: PayloadId } | { readonly kind: 'invalid'; readonly reason: string }
export type Insertion = { readonly kind: 'inserted'; readonly block: L2BlockRef } | { readonly kind: 'invalid'; readonly reason: string }
export type Offer = { readonly kind: 'valid' | 'syncing' } | { readonly kind: 'invalid'; readonly reason: string }

export interface EngineControlDependencies {
  readonly engine: EngineApi
  readonly refs: Pick<L2Refs, 'refOf' | 'find'>
  readonly trace: DriverTrace
  readonly allowFinalizedReorg: boolean
  readonly onExecuted: (envelope: PayloadEnvelope) => void
  /** Must not throw. */
  readonly onHeads?: (heads: L2Heads) => void
}

/**
 * The only writer of the execution client. All methods throw ConsensusError `consensus/engine-unavailable` (temporary),
 * `consensus/engine-syncing` or `consensus/engine-forkchoice` (reset) and leave the heads unchanged, or InvariantViolation
 * (critical). specs: protocol/derivation.md#engine-queue
 */
export class EngineControl {
  readonly #deps: EngineControlDependencies
  readonly #calls: EngineCalls
  readonly #invariants: HeadInvariants
  #heads: L2Heads | null = null
  #told: L2Heads | null = null
  #unflushed = 0

  constructor(deps: EngineControlDependencies) {
    this.#deps = deps
    this.#calls = createEngineCalls(deps.engine, deps.trace)
    this.#invariants = createHeadInvariants(deps.refs)
  }

  get heads(): L2Heads | null {
    return this.#heads
  }

  /** The heads last sent to the engine. */
  get told(): L2Heads | null {
    return this.#told
  }

  /** Head changes not yet sent to the engine. */
  get unflushed(): number {
    return this.#unflushed
  }

  async adopt(target: L2Heads, reason: ResetReason): Promise<void> {
    const before = this.#heads
    // a lookup by number always asks the engine, never the cache
    const lost = before !== null && (await this.#deps.refs.find(before.finalized.number)) === null
    const move: HeadMove = { kind: 'reset', reason, mayUnfinalize: this.#deps.allowFinalizedReorg || lost }
    await this.#apply(target, move)
    await this.#invariants.checkChain(before, target, move)
  }

  async startBuild(parent: L2BlockRef, attributes: PayloadAttributes): Promise<BuildStart> {
    const before = this.#current()
    const target = { ...before, unsafe: parent }
    this.#invariants.check(before, target, { kind: 'build' })
    const result = await this.#calls.forkchoiceWithAttributes(target, attributes)
    if (result.kind === 'invalid') {
      // the engine moves its head to the parent before it checks the attributes
      if (parent.hash !== before.unsafe.hash) await this.#apply(before, { kind: 'told' })
      return result
    }
    requireKnownHead(result.forkchoice.status, parent)
    this.#becomeTold(target, { kind: 'build' })
    if (result.forkchoice.payloadId === null) {
      throw new ConsensusError('consensus/engine-unavailable', 'temporary', `the engine started no build on ${describeBlock(parent)}`)
    }
    return { kind: 'started', payloadId: result.forkchoice.payloadId }
  }

  seal(id: PayloadId): Promise<BuiltPayload | null> {
    return this.#calls.getPayload(id)
  }

  async insertUnsafe(envelope: PayloadEnvelope): Promise<Insertion> {
    const result = await this.#execute(envelope)
    if (result.kind === 'inserted') await this.#apply({ ...this.#current(), unsafe: result.block }, { kind: 'unsafe' })
    return result
  }

  /** As `insertUnsafe`, but the engine receives the head with the next build or `flush`, which saves a request per block. */
  async insertLate(envelope: PayloadEnvelope): Promise<Insertion> {
    const result = await this.#execute(envelope)
    if (result.kind === 'inserted') this.#setHeads({ ...this.#current(), unsafe: result.block }, { kind: 'unsafe' })
    return result
  }

  /** The engine receives the heads with the next build or `flush`. */
  async insertDerived(envelope: PayloadEnvelope, becomesSafe: boolean): Promise<Insertion> {
    const result = await this.#execute(envelope)
    if (result.kind === 'invalid') return result
    this.#setHeads({ ...this.#current(), unsafe: result.block, ...this.#advance(result.block, becomesSafe) }, { kind: 'derived' })
    return result
  }

  /** Makes an existing block pending safe, and also safe if `becomesSafe`. Sent to the engine later, as in `insertDerived`. */
  promote(block: L2BlockRef, becomesSafe: boolean): void {
    this.#setHeads({ ...this.#current(), ...this.#advance(block, becomesSafe) }, { kind: 'confirmed' })
  }

  dropPendingSafe(): void {
    this.#become({ ...this.#current(), pendingSafe: this.#current().safe }, { kind: 'pending-dropped' })
  }

  finalize(block: L2BlockRef, derivedFrom: BlockId, finalizedL1: BlockId): void {
    this.#setHeads({ ...this.#current(), finalized: block }, { kind: 'finalized', derivedFrom, finalizedL1 })
  }

  /** Sends the engine a block whose ancestors it must fetch itself. Does not change the heads. */
  async offer(envelope: PayloadEnvelope): Promise<Offer> {
    const block = this.#deps.refs.refOf(envelope)
    const status = await this.#calls.newPayload(block, envelope)
    if (status.status === 'INVALID') return { kind: 'invalid', reason: status.reason }
    const head = await this.#calls.forkchoice({ ...this.#current(), unsafe: block })
    if (head.status === 'INVALID') return { kind: 'invalid', reason: head.reason }
    return { kind: status.status === 'VALID' && head.status === 'VALID' ? 'valid' : 'syncing' }
  }

  async adoptSynced(block: L2BlockRef): Promise<void> {
    await this.#apply({ unsafe: block, pendingSafe: block, safe: block, finalized: block }, { kind: 'engine-synced' })
  }

  async flush(): Promise<void> {
    if (this.#unflushed > 0) await this.#apply(this.#current(), { kind: 'told' })
  }

  #current(): L2Heads {
    if (this.#heads === null) throw new ConsensusError('consensus/not-started', 'critical', 'the engine was used before the first reset')
    return this.#heads
  }

  #advance(block: L2BlockRef, becomesSafe: boolean): Pick<L2Heads, 'pendingSafe' | 'safe'> {
    return { pendingSafe: block, safe: becomesSafe ? block : this.#current().safe }
  }

  #become(target: L2Heads, move: HeadMove): void {
    this.#invariants.moved(this.#heads, target, move)
    this.#heads = target
    this.#deps.onHeads?.(target)
  }

  #becomeTold(target: L2Heads, move: HeadMove): void {
    this.#become(target, move)
    this.#told = target
    this.#unflushed = 0
  }

  async #apply(target: L2Heads, move: HeadMove): Promise<void> {
    this.#invariants.check(this.#heads, target, move)
    requireKnownHead(await this.#calls.forkchoice(target), target.unsafe)
    this.#becomeTold(target, move)
  }

  #setHeads(target: L2Heads, move: HeadMove): void {
    this.#invariants.check(this.#heads, target, move)
    const { unsafe, pendingSafe, safe } = target
    this.#deps.trace.note(`heads: ${move.kind}`, { unsafe: unsafe.number, pendingSafe: pendingSafe.hash, safe: safe.number })
    this.#become(target, move)
    this.#unflushed++
  }

  async #execute(envelope: PayloadEnvelope): Promise<Insertion> {
    const block = this.#deps.refs.refOf(envelope)
    const status = await this.#calls.newPayload(block, envelope)
    if (status.status === 'INVALID') return { kind: 'invalid', reason: status.reason }
    if (status.status !== 'VALID') throw engineSyncing(block)
    this.#deps.onExecuted(envelope)
    return { kind: 'inserted', block }
  }
}
