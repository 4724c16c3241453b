/** Counts batches, to show a reader whether its snapshot is current. */
import { isJournalKey } from '@keelson/execution'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'

export interface CountedStore<S extends KeyValueStore> {
  readonly store: S
  /** Journal entries of submitted transactions do not count: each would cost a new snapshot. */
  revision(): number
}

export function countBatches<S extends KeyValueStore>(inner: S): CountedStore<S> {
  let done = 0
  return {
    revision: () => done,
    store: {
      ...inner,
      async batch(...given: Parameters<KeyValueStore['batch']>) {
        try {
          await inner.batch(...given)
        } finally {
          // Counts failed batches too, because they may have been written.
          if (given[0].some(isRead)) done++
        }
      },
    },
  }
}

function isRead(op: KeyValueOp): boolean {
  return !isJournalKey('put' in op ? op.put : op.del)
}
