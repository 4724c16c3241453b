/** Counts the batches written to a store, so that a reader elsewhere can tell whether its snapshot is new enough. */
import { isJournalKey } from '@keelson/execution'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'

export interface CountedStore<S extends KeyValueStore> {
  readonly store: S
  /** Batches done that a reader could see: a journal entry for each submitted transaction must not cost it a new snapshot. */
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
          // one that failed may have been written
          if (given[0].some(isRead)) done++
        }
      },
    },
  }
}

function isRead(op: KeyValueOp): boolean {
  return !isJournalKey('put' in op ? op.put : op.del)
}
