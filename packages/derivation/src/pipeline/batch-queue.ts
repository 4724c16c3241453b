/** Before Holocene: batches that are too early wait in a queue. protocol/derivation.md#batch-queue */
import type { L1BlockRef, L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import { DerivationError } from '../errors.ts'
import type { L2Reader } from '../ports.ts'
import { type BatchContext, type BatchValidity, drop } from './batch-validity.ts'
import type { ChannelReader, DecodedBatch } from './channel-reader.ts'
import { checkSingularBatch } from './check-batch.ts'
import { checkSpanBatch } from './check-span-batch.ts'
import { describeBatch } from './describe-batch.ts'
import { assertWindowFits, nextEmptyBatch } from './empty-batch.ts'
import type { OriginWindow } from './origin-window.ts'
import { createSpanCursor, itemsOf } from './span-blocks.ts'
import { AGAIN, ORIGIN_EXHAUSTED, type Pull } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface SelectedBatch {
  readonly batch: SingularBatch
  readonly becomesSafe: boolean
}

export interface BatchStage {
  pull(parent: L2BlockRef): Promise<Pull<SelectedBatch>>
  /** Does nothing before Holocene, where an invalid payload does not affect its channel. */
  flushChannel(): void
  reset(): void
  discard(): void
}

interface Queued {
  readonly decoded: DecodedBatch
  readonly inclusion: L1BlockRef
}

export function createBatchQueue(stage: StageContext, window: OriginWindow, reader: ChannelReader, l2: L2Reader): BatchStage {
  const { config } = stage
  const span = createSpanCursor((rest) => stage.drop('batch-queue', 'span-batch-given-up', rest))
  /** `expire` limits the queue's length. */
  let queue: Queued[] = []

  async function check(entry: Queued, parent: L2BlockRef): Promise<BatchValidity> {
    const context: BatchContext = { config, origins: window.blocks, parent, inclusion: entry.inclusion }
    const { decoded } = entry
    const verdict =
      decoded.kind === 'singular' ? checkSingularBatch(context, decoded.batch) : await checkSpanBatch(context, decoded.batch, l2)
    return expire(entry, verdict)
  }

  /**
   * A batch's last L1 origin is not after its inclusion block, so once the safe head's epoch is later, no rule can accept the
   * batch. op-node keeps it.
   */
  function expire({ inclusion }: Queued, verdict: BatchValidity): BatchValidity {
    const epoch = window.blocks[0]
    return verdict.kind === 'future' && epoch !== undefined && epoch.number > inclusion.number ? drop('batch-in-future') : verdict
  }

  function report(entry: Queued, verdict: BatchValidity): void {
    if (verdict.kind === 'drop') stage.drop('batch-queue', verdict.reason, describeBatch(entry.decoded))
  }

  /** 'undecided' when an earlier batch might be the next one. */
  async function select(parent: L2BlockRef): Promise<Queued | 'undecided' | null> {
    const kept: Queued[] = []
    for (const [i, entry] of queue.entries()) {
      const verdict = await check(entry, parent)
      if (verdict.kind === 'accept' || verdict.kind === 'undecided') {
        queue = kept.concat(queue.slice(verdict.kind === 'accept' ? i + 1 : i))
        return verdict.kind === 'accept' ? entry : 'undecided'
      }
      if (verdict.kind === 'future') kept.push(entry)
      else report(entry, verdict)
    }
    queue = kept
    return null
  }

  function emit(entry: Queued, parent: L2BlockRef): SelectedBatch {
    if (entry.decoded.kind === 'singular') return { batch: entry.decoded.batch, becomesSafe: true }
    const { blocks, last } = entry.decoded.batch
    const newBlocks = (last.timestampSec - parent.timestampSec) / config.blockTimeSec
    span.load(itemsOf(blocks, window.blocks, parent), newBlocks)
    const batch = span.next(parent, config.blockTimeSec)
    if (batch === null) throw new DerivationError('derivation/internal', 'critical', 'an accepted span batch does not hold the next block')
    return { batch, becomesSafe: span.remaining === 0 }
  }

  async function take(decoded: DecodedBatch, parent: L2BlockRef): Promise<void> {
    const entry = { decoded, inclusion: stage.origin }
    // Queue first: a check that throws because the safe chain cannot be read must not lose the batch.
    queue.push(entry)
    const verdict = await check(entry, parent)
    if (verdict.kind !== 'drop') return
    queue.pop()
    report(entry, verdict)
  }

  function reset(): void {
    queue = []
    span.reset()
  }

  return {
    async pull(parent) {
      const cached = span.next(parent, config.blockTimeSec)
      if (cached !== null) return { kind: 'item', item: { batch: cached, becomesSafe: span.remaining === 0 } }
      window.update(stage.origin, parent)
      const behind = stage.origin.number < parent.l1Origin.number
      const pulled = await reader.pull()
      if (pulled.kind === 'again') return AGAIN
      if (pulled.kind === 'item') {
        if (behind) stage.drop('batch-queue', 'batch-behind-safe-head', describeBatch(pulled.item))
        else await take(pulled.item, parent)
      }
      const outOfData = pulled.kind === 'origin-exhausted'
      const idle = outOfData ? ORIGIN_EXHAUSTED : AGAIN
      if (behind) return idle
      assertWindowFits(window, parent)
      const selected = await select(parent)
      if (selected === 'undecided') return idle
      if (selected !== null) return { kind: 'item', item: emit(selected, parent) }
      const empty = nextEmptyBatch(config, window, parent, outOfData)
      return empty === null ? idle : { kind: 'item', item: { batch: empty, becomesSafe: true } }
    },
    flushChannel: () => undefined,
    reset,
    discard() {
      for (const entry of queue) stage.drop('batch-queue', 'fork-activated', describeBatch(entry.decoded))
      span.giveUp()
      reset()
    },
  }
}
