import { DerivationError } from '@keelson/derivation'
import type { L2BlockRef, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { DegradedStates } from '../../degraded-states.ts'
import { ConsensusError } from '../../errors.ts'
import type { ForkStop } from '../../fork-stop.ts'
import type { ConsensusMetrics } from '../../metrics.ts'
import type { NewerRules } from '../../newer-rules/newer-rules.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import type { ForkedFromPeers } from './forked-from-peers.ts'
import type { GapFiller } from './gap-filler.ts'
import type { RefusedBlocks } from './refused-blocks.ts'
import { createUnsafeQueue, type UnsafeQueue } from './unsafe-queue.ts'

export interface UnsafeFollowerDependencies {
  readonly engine: Pick<EngineControl, 'heads' | 'insertUnsafe' | 'offer'>
  readonly refused: RefusedBlocks
  readonly refs: Pick<L2Refs, 'refOf'>
  readonly forkStop: Pick<ForkStop, 'refuses'>
  readonly metrics: Pick<ConsensusMetrics, 'unsafeInvalid'>
  readonly degraded: DegradedStates
  readonly log: Logger
  readonly gaps: GapFiller | null
  /** True while this node builds blocks: its execution client must keep the head that they build on. */
  readonly builds: () => boolean
  readonly forked: ForkedFromPeers
  readonly newerRules: Pick<NewerRules, 'refused' | 'stopped'>
}

/** specs: protocol/derivation.md#processing-unsafe-payload-attributes */
export class UnsafeFollower {
  readonly #deps: UnsafeFollowerDependencies
  readonly #queue: UnsafeQueue

  constructor(maxBytes: number, deps: UnsafeFollowerDependencies) {
    this.#deps = deps
    this.#queue = createUnsafeQueue(maxBytes)
  }

  get next(): L2BlockRef | null {
    const lowest = this.#queue.lowest()
    return lowest === null ? null : this.#deps.refs.refOf(lowest)
  }

  get fetching(): boolean {
    return this.#deps.gaps?.busy === true
  }

  add(envelope: PayloadEnvelope): void {
    const { engine, refused, forkStop, forked, log } = this.#deps
    const { blockNumber: number, timestampSec } = envelope.payload
    if (forkStop.refuses(timestampSec)) return
    const { heads } = engine
    if (heads !== null && number <= heads.safe.number) return
    if (refused.includes(envelope, heads?.unsafe.hash ?? null)) {
      forked.refused(envelope, 'it builds on a rejected block')
      return
    }
    const malformed = this.#malformation(envelope)
    if (malformed !== null) {
      this.#invalid(envelope, malformed)
      return
    }
    if (this.#queue.add(envelope) === 'full') log.debug('no room for an unsafe block', { number })
  }

  /** If the engine throws, rethrows the error and keeps the block in the queue. */
  async insertNext(): Promise<boolean> {
    const { engine, forked, degraded } = this.#deps
    const queue = this.#queue
    const { heads } = engine
    if (heads === null || queue.size === 0) return false
    const envelope = queue.take(heads.unsafe.hash)
    if (envelope === null) {
      this.prune(heads.safe.number)
      this.#noteGap(heads.unsafe)
      await this.#letEngineFill(heads.unsafe)
      return false
    }
    const result = await engine.insertUnsafe(envelope).catch((error: unknown) => {
      queue.add(envelope)
      throw error
    })
    if (result.kind === 'invalid') this.#invalid(envelope, result.reason)
    else forked.agrees()
    const { unsafe } = engine.heads ?? heads
    if (queue.has(unsafe.hash)) degraded.leave('unsafe-gap')
    else this.#noteGap(unsafe)
    return true
  }

  prune(number: number): void {
    this.#queue.prune(number)
    this.#deps.refused.prune(number)
  }

  takeHighest(): PayloadEnvelope | null {
    return this.#queue.takeHighest()
  }

  /** The signature of a block says nothing about its L1 info deposit, without which it has no place in the chain. */
  #malformation(envelope: PayloadEnvelope): string | null {
    try {
      this.#deps.refs.refOf(envelope)
      return null
    } catch (error) {
      if (error instanceof DerivationError) return error.message
      throw error
    }
  }

  #invalid(envelope: PayloadEnvelope, reason: string): void {
    const { blockNumber: number, blockHash: hash } = envelope.payload
    this.#deps.log.warn('dropped an invalid unsafe block', { number, hash, reason })
    this.#deps.metrics.unsafeInvalid()
    this.#refuse(envelope)
    this.#deps.forked.refused(envelope, reason)
    this.#deps.newerRules.refused(envelope, reason)
  }

  #refuse(envelope: PayloadEnvelope): void {
    this.#deps.refused.add(envelope)
    const { blockHash } = envelope.payload
    for (let child = this.#queue.take(blockHash); child !== null; child = this.#queue.take(blockHash)) this.#refuse(child)
  }

  /** Tells the execution client of the end of a gap that no peer fills. The heads stay, and its blocks are inserted one by one. */
  async #letEngineFill(unsafe: L2BlockRef): Promise<void> {
    const { engine, gaps, builds, newerRules, log } = this.#deps
    const end = this.#queue.lowest()
    if (gaps === null || !gaps.takeUnanswered() || newerRules.stopped || builds()) return
    if (end === null || end.payload.blockNumber <= unsafe.number + 1) return
    const { blockNumber: upTo, blockHash, parentHash } = end.payload
    const result = await engine.offer(end).catch((error: unknown) => {
      // The block is not of the chain of the safe head; L1 decides between the two.
      if (error instanceof ConsensusError && error.code === 'consensus/engine-forkchoice')
        return { kind: 'invalid', reason: error.message } as const
      throw error
    })
    log.debug('no peer has the missing blocks; the execution client was told of the next one', {
      upTo,
      hash: blockHash,
      result: result.kind,
    })
    if (result.kind !== 'invalid') return
    this.#queue.take(parentHash)
    this.#invalid(end, result.reason)
  }

  #noteGap(unsafe: L2BlockRef): void {
    const { degraded, gaps, forked, newerRules } = this.#deps
    const lowest = this.#queue.lowest()
    if (lowest === null || lowest.payload.blockNumber <= unsafe.number + 1) {
      degraded.leave('unsafe-gap')
      if (lowest?.payload.blockNumber === unsafe.number + 1) forked.conflicts(lowest, unsafe)
      return
    }
    gaps?.want(unsafe.number, lowest)
    if (newerRules.stopped) {
      degraded.leave('unsafe-gap')
      return
    }
    degraded.enter(
      'unsafe-gap',
      'unsafe blocks are missing',
      `the unsafe head is ${unsafe.number}, the next block received is ${lowest.payload.blockNumber}`,
      'nothing: peers and the execution client are asked for them, and they will be derived from L1; if this lasts, check that peers reach this node',
    )
  }
}
