/** holocene/derivation.md#span-batches */
import type { L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import type { SpanBatch } from '../codec/span-batch/span-batch-cursor.ts'
import type { DropReason } from '../observer.ts'
import type { L2Reader } from '../ports.ts'
import type { BatchContext } from './batch-validity.ts'
import type { ChannelReader } from './channel-reader.ts'
import { checkSpanBatchPrefix } from './check-span-batch.ts'
import { describeBatch, describeSpan } from './describe-batch.ts'
import { createOverlapCheck, type OverlapCheck } from './overlap-check.ts'
import { createSpanCursor, itemsOf } from './span-blocks.ts'
import { AGAIN, type Pull } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface BatchStream {
  pull(context: BatchContext): Promise<Pull<SingularBatch>>
  /** Drops batches while L1 is not past the safe head's origin. */
  drain(): Promise<Pull<never>>
  /** Drops the current span and the rest of its channel. */
  flush(): void
  reset(): void
}

const COMPARED_PER_STEP = 64

interface Candidate {
  readonly batch: SpanBatch
  overlap: OverlapCheck | null
}

export function createBatchStream(stage: StageContext, reader: ChannelReader, l2: L2Reader): BatchStream {
  const span = createSpanCursor((rest) => stage.drop('batch-stream', 'span-batch-given-up', rest))
  /**
   * Kept for a retry: a failed read of the safe chain must not change what is derived. op-node and kona drop the span (optimism
   * issue 22629).
   */
  let candidate: Candidate | null = null

  function flush(): void {
    if (candidate !== null) stage.drop('batch-stream', 'span-batch-given-up', describeSpan(candidate.batch))
    candidate = null
    span.giveUp()
    reader.flush()
  }

  function refuse(reason: DropReason, batch: SpanBatch): typeof AGAIN {
    candidate = null
    stage.drop('batch-stream', reason, describeSpan(batch))
    return AGAIN
  }

  function invalidate(reason: DropReason, batch: SpanBatch): typeof AGAIN {
    refuse(reason, batch)
    flush()
    return AGAIN
  }

  async function examine(context: BatchContext, examined: Candidate): Promise<Pull<SingularBatch>> {
    const { batch } = examined
    if (examined.overlap === null) {
      const verdict = await checkSpanBatchPrefix(context, batch, l2)
      if (verdict.kind === 'past') return refuse('batch-in-past', batch)
      // L1 or the genesis block is missing. As in op-node and kona, the span is dropped but its channel is not; waiting would
      // block later batches.
      if (verdict.kind === 'undecided') return refuse('span-batch-undecided', batch)
      if (verdict.kind !== 'accept') return invalidate(verdict.kind === 'drop' ? verdict.reason : 'batch-in-future', batch)
      examined.overlap = createOverlapCheck(context, batch, verdict.parentBlock, l2)
    }
    const compared = await examined.overlap.compare(COMPARED_PER_STEP)
    if (compared === 'more') return AGAIN
    if (compared === 'differs') return invalidate('span-batch-overlap-differs', batch)
    const { rest, newBlocks } = examined.overlap
    if (!span.load(itemsOf(rest, context.origins, context.parent), newBlocks)) return invalidate('batch-origin-unknown', batch)
    candidate = null
    const first = nextOf(context.parent)
    return first === null ? AGAIN : { kind: 'item', item: first }
  }

  const nextOf = (parent: L2BlockRef) => span.next(parent, stage.config.blockTimeSec)

  return {
    async pull(context) {
      const next = nextOf(context.parent)
      if (next !== null) return { kind: 'item', item: next }
      if (candidate !== null) return examine(context, candidate)
      const pulled = await reader.pull()
      if (pulled.kind !== 'item') return pulled
      if (pulled.item.kind === 'singular') return { kind: 'item', item: pulled.item.batch }
      candidate = { batch: pulled.item.batch, overlap: null }
      return examine(context, candidate)
    },
    async drain() {
      const pulled = await reader.pull()
      if (pulled.kind !== 'item') return pulled
      stage.drop('batch-stream', 'batch-behind-safe-head', describeBatch(pulled.item))
      return AGAIN
    },
    flush,
    reset() {
      candidate = null
      span.reset()
    },
  }
}
