/** Batches to payload attributes. protocol/derivation.md#payload-attributes-derivation */
import type { L2BlockRef } from '@keelson/primitives'
import type { AttributesBuilder } from '../attributes-builder.ts'
import { DerivationError } from '../errors.ts'
import type { SelectedBatch } from './batch-queue.ts'
import type { DerivedAttributes, Pull } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface AttributesQueue {
  pull(parent: L2BlockRef): Promise<Pull<DerivedAttributes>>
  reset(): void
}

export function createAttributesQueue(
  stage: StageContext,
  nextBatch: (parent: L2BlockRef) => Promise<Pull<SelectedBatch>>,
  builder: AttributesBuilder,
): AttributesQueue {
  /** Kept while the builder fails, so that a batch is not lost to an L1 that does not answer. */
  let pending: SelectedBatch | null = null

  return {
    async pull(parent) {
      if (pending === null) {
        const pulled = await nextBatch(parent)
        if (pulled.kind !== 'item') return pulled
        pending = pulled.item
      }
      const { batch, concludesSpan } = pending
      if (batch.parentHash !== parent.hash) {
        throw new DerivationError(
          'derivation/l2-parent-mismatch',
          'reset',
          `the batch at time ${batch.timestampSec} builds on ${batch.parentHash}, the safe head is block ${parent.number} (${parent.hash}); rewinding`,
          { parent: parent.hash, batchParent: batch.parentHash },
        )
      }
      const attributes = await builder.build(parent, batch.epoch)
      pending = null
      return {
        kind: 'item',
        item: {
          attributes: { ...attributes, transactions: attributes.transactions.concat(batch.transactions), noTxPool: true },
          parent,
          derivedFrom: stage.origin,
          concludesSpan,
        },
      }
    },
    reset() {
      pending = null
    },
  }
}
