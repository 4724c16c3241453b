/** Takes unsafe blocks from outside, puts them in order and inserts them one after another. specs: protocol/derivation.md#processing-unsafe-payload-attributes */
import type { L2BlockRef, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { DegradedStates } from '../../degraded-states.ts'
import type { ConsensusMetrics } from '../../metrics.ts'
import type { EngineControl } from '../engine/engine-control.ts'
import type { ForkStop } from '../fork-stop.ts'
import type { ForkFromPeers } from './fork-from-peers.ts'
import type { GapFiller } from './gap-filler.ts'
import type { RefusedBlocks } from './refused-blocks.ts'
import { createUnsafeQueue } from './unsafe-queue.ts'

export interface UnsafeFollower {
  add(envelope: PayloadEnvelope): void
  /** Inserts the block that follows the unsafe head; false when it is not here. Throws what the engine threw, keeping the block. */
  insertNext(): Promise<boolean>
  /** Forgets blocks at or below a height. */
  prune(number: number): void
  /** The farthest block, taken out; null when there is none. */
  takeHighest(): PayloadEnvelope | null
  /** The lowest block that waits for those before it. */
  readonly next: L2BlockRef | null
}

export interface UnsafeFollowerDependencies {
  readonly engine: EngineControl
  /** Receives `forget` for each block that the engine found valid. */
  readonly refused: RefusedBlocks
  readonly refs: Pick<L2Refs, 'refOf'>
  readonly forkStop: Pick<ForkStop, 'refuses'>
  readonly metrics: ConsensusMetrics
  readonly degraded: DegradedStates
  readonly log: Logger
  /** Asks peers for missing blocks; null without peers. */
  readonly gaps: GapFiller | null
  readonly fork: ForkFromPeers
}

export function createUnsafeFollower(
  maxBytes: number,
  { engine, refused, refs, forkStop, metrics, degraded, log, gaps, fork }: UnsafeFollowerDependencies,
): UnsafeFollower {
  const queue = createUnsafeQueue(maxBytes)

  /** It and what waits for it: asked of peers again, they would come again. */
  function refuse(envelope: PayloadEnvelope): void {
    refused.add(envelope)
    const { blockHash } = envelope.payload
    for (let child = queue.take(blockHash); child !== null; child = queue.take(blockHash)) refuse(child)
  }

  function noteGap(unsafe: L2BlockRef): void {
    const unsafeNumber = unsafe.number
    const lowest = queue.lowest()
    if (lowest === null || lowest.payload.blockNumber <= unsafeNumber + 1) {
      degraded.leave('unsafe-gap')
      if (lowest?.payload.blockNumber === unsafeNumber + 1) fork.conflicts(lowest, unsafe)
      return
    }
    gaps?.want(unsafeNumber, lowest)
    degraded.enter(
      'unsafe-gap',
      'unsafe blocks are missing',
      `the unsafe head is ${unsafeNumber}, the next block at hand is ${lowest.payload.blockNumber}`,
      'nothing: peers are asked for them, and they will be derived from L1; if this lasts, check that peers reach this node',
    )
  }

  return {
    add(envelope) {
      const number = envelope.payload.blockNumber
      if (forkStop.refuses(envelope.payload.timestampSec)) return
      const { heads } = engine
      if (heads !== null && number <= heads.safe.number) return
      if (refused.includes(envelope, heads?.unsafe.hash ?? null)) {
        fork.refused(envelope, 'it builds on a block that was refused')
        return
      }
      if (queue.add(envelope) === 'full') log.debug('no room for an unsafe block', { number })
    },
    async insertNext() {
      const { heads } = engine
      if (heads === null || queue.size === 0) return false
      const envelope = queue.take(heads.unsafe.hash)
      if (envelope === null) {
        queue.prune(heads.safe.number)
        refused.prune(heads.safe.number)
        noteGap(heads.unsafe)
        return false
      }
      const result = await engine.insertUnsafe(envelope).catch((error: unknown) => {
        queue.add(envelope)
        throw error
      })
      if (result.kind === 'invalid') {
        const { blockNumber: number, blockHash: hash } = envelope.payload
        log.warn('an unsafe block is invalid and was dropped', { number, hash, reason: result.reason })
        metrics.unsafeInvalid()
        refuse(envelope)
        fork.refused(envelope, result.reason)
      } else fork.agrees()
      const after = engine.heads ?? heads
      metrics.heads(after)
      if (queue.has(after.unsafe.hash)) degraded.leave('unsafe-gap')
      else noteGap(after.unsafe)
      return true
    },
    prune(number) {
      queue.prune(number)
      refused.prune(number)
    },
    takeHighest: () => queue.takeHighest(),
    get next() {
      const lowest = queue.lowest()
      return lowest === null ? null : refs.refOf(lowest)
    },
  }
}
