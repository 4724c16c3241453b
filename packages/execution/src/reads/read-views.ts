/** Snapshots of the store, closed after the last reader. */
import { type KeyValueSnapshot, nextTurn } from '@keelson/runtime'
import { createSnapshotStates, type StateReads, type StateSnapshot } from '@keelson/state'
import { type ChainReader, createChainCaches, openChainReader, type SealedHeader } from '../chain/chain-reader.ts'

export interface SnapshotSource {
  snapshot(): KeyValueSnapshot
}

export interface ReadViewOptions {
  readonly genesis: SealedHeader
  readonly cachedBlocks: number
  readonly chainCacheBytes: number
  readonly stateCacheBytes: number
}

export interface ReadView {
  readonly chain: ChainReader
  readonly state: StateReads
}

export interface ReadViews {
  /** The view contains at least the first `revision` batches. */
  use<T>(revision: number, read: (view: ReadView) => Promise<T>): Promise<T>
  readonly open: number
  readonly layerBytes: number
}

interface OpenView extends ReadView {
  readonly revision: number
  readonly state: StateSnapshot
  readonly snapshot: KeyValueSnapshot
  readonly loaded: Promise<void>
  users: number
}

export function createReadViews(source: SnapshotSource, options: ReadViewOptions): ReadViews {
  const states = createSnapshotStates({ cacheBytes: options.stateCacheBytes })
  const caches = createChainCaches(options.cachedBlocks, options.chainCacheBytes)
  let newest: OpenView | null = null
  let open = 0

  function openView(revision: number): OpenView {
    const snapshot = source.snapshot()
    try {
      const chain = openChainReader(snapshot, caches, options.genesis)
      const state = states.open(snapshot)
      return { revision, snapshot, chain, state, loaded: state.load(chain.label('unsafe').hash, nextTurn), users: 0 }
    } catch (error) {
      void snapshot.close()
      throw error
    }
  }

  async function leave(view: OpenView): Promise<void> {
    if (--view.users > 0) return
    if (newest === view) newest = null
    open--
    view.state.close()
    await view.snapshot.close()
  }

  return {
    get open() {
      return open
    },
    get layerBytes() {
      return states.layerBytes
    },
    async use(revision, read) {
      let view = newest
      if (view === null || view.revision < revision) {
        view = openView(revision)
        newest = view
        open++
      }
      view.users++
      try {
        await view.loaded
        return await read(view)
      } finally {
        await leave(view)
      }
    },
  }
}
