/** Counts the batches written to a store, so that a reader elsewhere can tell whether its snapshot is new enough. */
import type { KeyValueStore } from '@keelson/runtime'

export interface CountedStore<S extends KeyValueStore> {
  readonly store: S
  /** Batches done. */
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
          done++
        }
      },
    },
  }
}
