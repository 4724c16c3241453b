/** From Holocene: no queue; an invalid batch drops its channel. holocene/derivation.md#batch-queue */
import type { L2Reader } from '../ports.ts'
import type { BatchStage } from './batch-queue.ts'
import { createBatchStream } from './batch-stream.ts'
import type { BatchContext } from './batch-validity.ts'
import type { ChannelReader } from './channel-reader.ts'
import { checkSingularBatch } from './check-batch.ts'
import { describeSingular } from './describe-batch.ts'
import { assertWindowFits, nextEmptyBatch } from './empty-batch.ts'
import type { OriginWindow } from './origin-window.ts'
import { AGAIN, ORIGIN_EXHAUSTED } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export function createStrictBatchStage(stage: StageContext, window: OriginWindow, reader: ChannelReader, l2: L2Reader): BatchStage {
  const { config } = stage
  const stream = createBatchStream(stage, reader, l2)
  return {
    async pull(parent) {
      window.update(stage.origin, parent)
      // L1 blocks up to the safe head's origin carry only safe blocks.
      if (stage.origin.number <= parent.l1Origin.number) return stream.drain()
      assertWindowFits(window, parent)
      const context: BatchContext = { config, origins: window.blocks, parent, inclusion: stage.origin }
      const pulled = await stream.pull(context)
      if (pulled.kind === 'again') return AGAIN
      if (pulled.kind === 'origin-exhausted') {
        const empty = nextEmptyBatch(config, window, parent, true)
        return empty === null ? ORIGIN_EXHAUSTED : { kind: 'item', item: { batch: empty, becomesSafe: true } }
      }
      const batch = pulled.item
      const verdict = checkSingularBatch(context, batch)
      switch (verdict.kind) {
        case 'accept':
          // No later block of the span can revert this one. op-node: all attributes of this stage are concluding (optimism pull
          // request 12724). holocene/derivation.md#span-batches
          return { kind: 'item', item: { batch, becomesSafe: true } }
        case 'past':
          stage.drop('batch-queue', 'batch-in-past', describeSingular(batch))
          return AGAIN
        case 'drop':
          stage.drop('batch-queue', verdict.reason, describeSingular(batch))
          stream.flush()
          return AGAIN
        default:
          // The window holds every origin that a valid batch may have, so this batch is invalid.
          stage.drop('batch-queue', 'batch-origin-unknown', describeSingular(batch))
          return AGAIN
      }
    },
    flushChannel: () => stream.flush(),
    reset: () => stream.reset(),
    discard: () => stream.reset(),
  }
}
