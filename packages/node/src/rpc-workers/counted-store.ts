/** Counts the batches written to a store, so that a reader elsewhere can tell whether its snapshot is new enough. */
import type { KeyValueStore } from '@keelson/runtime'

export interface CountedStore {
  readonly store: KeyValueStore
  /** Batches done. */
  revision(): number
}

export function countBatches(inner: KeyValueStore): CountedStore {
  let done = 0
  return {
    revision: () => done,
    store: {
      getSync: (key) => inner.getSync(key),
      range: (from, to, options) => inner.range(from, to, options),
      close: () => inner.close(),
      async batch(ops, options) {
        try {
          await inner.batch(ops, options)
        } finally {
          // one that failed may have been written
          done++
        }
      },
    },
  }
}
