/** protocol/derivation.md#payload-attributes-derivation */
import type { Hash, L2BlockRef } from '@keelson/primitives'
import type { AttributesBuilder } from '../attributes-builder.ts'
import type { SingularBatch } from '../codec/batch/singular-batch.ts'
import { DerivationError } from '../errors.ts'
import type { SelectedBatch } from './batch-queue.ts'
import { describeSingular } from './describe-batch.ts'
import { executableOrRefused } from './executable.ts'
import type { DerivedAttributes, Pull } from './stage.ts'
import type { StageContext } from './stage-context.ts'

export interface AttributesQueue {
  pull(parent: L2BlockRef): Promise<Pull<DerivedAttributes>>
  refused(): void
  reset(): void
}

export function createAttributesQueue(
  stage: StageContext,
  nextBatch: (parent: L2BlockRef) => Promise<Pull<SelectedBatch>>,
  builder: AttributesBuilder,
): AttributesQueue {
  let pending: SelectedBatch | null = null
  let given: { readonly batch: SingularBatch; readonly parent: Hash } | null = null

  function refused(): void {
    if (given !== null) stage.drop('attributes-queue', 'payload-invalid', describeSingular(given.batch))
    given = null
  }

  return {
    async pull(parent) {
      if (given?.parent === parent.hash) refused()
      if (pending === null) {
        const pulled = await nextBatch(parent)
        if (pulled.kind !== 'item') return pulled
        pending = pulled.item
      }
      const { batch, becomesSafe } = pending
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
      given = { batch, parent: parent.hash }
      return {
        kind: 'item',
        item: {
          attributes: {
            ...attributes,
            transactions: attributes.transactions.concat(executableOrRefused(batch.transactions, attributes.gasLimit)),
            noTxPool: true,
          },
          parent,
          derivedFrom: stage.origin,
          becomesSafe,
        },
      }
    },
    refused,
    reset() {
      pending = null
      given = null
    },
  }
}
