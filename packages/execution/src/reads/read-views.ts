/** Snapshots of the store. */
import type { Clock } from '@keelson/primitives'
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
  /** Time for which the newest snapshot stays open without a reader. Default: 0. */
  readonly keepMs?: number
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
  uses: number
}

export function createReadViews(source: SnapshotSource, options: ReadViewOptions, clock: Pick<Clock, 'sleep'>): ReadViews {
  const { keepMs = 0 } = options
  const states = createSnapshotStates({ cacheBytes: options.stateCacheBytes })
  const caches = createChainCaches(options.cachedBlocks, options.chainCacheBytes)
  let newest: OpenView | null = null
  let open = 0
  let waits = false

  function openView(revision: number): OpenView {
    const snapshot = source.snapshot()
    try {
      const chain = openChainReader(snapshot, caches, options.genesis)
      const state = states.open(snapshot)
      return { revision, snapshot, chain, state, loaded: state.load(chain.label('unsafe').hash, nextTurn), users: 0, uses: 0 }
    } catch (error) {
      void snapshot.close()
      throw error
    }
  }

  async function close(view: OpenView): Promise<void> {
    if (newest === view) newest = null
    open--
    view.state.close()
    await view.snapshot.close()
  }

  async function leave(view: OpenView): Promise<void> {
    if (--view.users > 0) return
    if (keepMs === 0 || newest !== view) return close(view)
    if (!waits) void closeUnused()
  }

  async function closeUnused(): Promise<void> {
    waits = true
    while (newest !== null) {
      const { uses } = newest
      const view = newest
      await clock.sleep(keepMs)
      if (newest === view && view.users === 0 && view.uses === uses) await close(view)
    }
    waits = false
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
        const last = view
        view = openView(revision)
        newest = view
        open++
        if (last?.users === 0) void close(last)
      }
      view.users++
      view.uses++
      try {
        await view.loaded.catch((error: unknown) => {
          if (newest === view) newest = null
          throw error
        })
        return await read(view)
      } finally {
        await leave(view)
      }
    },
  }
}
