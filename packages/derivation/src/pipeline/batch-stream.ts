/**
 * From Holocene: candidates for the next block, one singular batch at a time, whether they came alone or in a
 * span. holocene/derivation.md#span-batches
 */
import type { L2BlockRef } from '@keelson/primitives'
import type { SingularBatch } from '../codec/singular-batch.ts'
import type { SpanBatch } from '../codec/span-batch.ts'
import type { L2Reader } from '../ports.ts'
import type { BatchContext } from './batch-validity.ts'
import type { ChannelReader } from './channel-reader.ts'
import { checkSpanBatchPrefix } from './check-span-batch.ts'
import { describeBatch, describeSpan } from './describe-batch.ts'
import { createSpanCursor, describeItems, itemsOf } from './span-blocks.ts'
import { AGAIN, type Pull } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface BatchStream {
  pull(context: BatchContext): Promise<Pull<SingularBatch>>
  /** Reads on and uses nothing, while L1 is still behind the safe head. */
  drain(): Promise<Pull<never>>
  /** Gives up the current span and the channel it came from. */
  flush(): void
  reset(): void
}

export function createBatchStream(stage: StageContext, reader: ChannelReader, l2: L2Reader): BatchStream {
  const span = createSpanCursor((rest) => stage.drop('batch-stream', 'span-batch-given-up', describeItems(rest)))
  /** Read from its channel but not judged yet: our own chain could not be asked. */
  let unjudged: SpanBatch | null = null

  function flush(): void {
    if (unjudged !== null) stage.drop('batch-stream', 'span-batch-given-up', describeSpan(unjudged))
    unjudged = null
    span.giveUp()
    reader.flush()
  }

  async function open(context: BatchContext, batch: SpanBatch): Promise<Pull<SingularBatch>> {
    unjudged = batch
    const verdict = await checkSpanBatchPrefix(context, batch, l2)
    unjudged = null
    if (verdict.kind === 'past') {
      stage.drop('batch-stream', 'batch-in-past', describeSpan(batch))
      return AGAIN
    }
    const items = verdict.kind === 'accept' ? itemsOf(batch, context.origins, context.parent) : null
    if (items === null) {
      stage.drop('batch-stream', verdict.kind === 'drop' ? verdict.reason : 'batch-origin-unknown', describeSpan(batch))
      flush()
      return AGAIN
    }
    span.load(items)
    const first = nextOf(context.parent)
    return first === null ? AGAIN : { kind: 'item', item: first }
  }

  const nextOf = (parent: L2BlockRef) => span.next(parent, stage.config.blockTimeSec)

  return {
    async pull(context) {
      const next = nextOf(context.parent)
      if (next !== null) return { kind: 'item', item: next }
      if (unjudged !== null) return open(context, unjudged)
      const pulled = await reader.pull()
      if (pulled.kind !== 'item') return pulled
      if (pulled.item.kind === 'singular') return { kind: 'item', item: pulled.item.batch }
      return open(context, pulled.item.batch)
    },
    async drain() {
      const pulled = await reader.pull()
      if (pulled.kind !== 'item') return pulled
      stage.drop('batch-stream', 'batch-behind-safe-head', describeBatch(pulled.item))
      return AGAIN
    },
    flush,
    reset() {
      unjudged = null
      span.reset()
    },
  }
}
