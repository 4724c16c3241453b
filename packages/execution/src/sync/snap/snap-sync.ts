/** Fetches the state of a recent block from peers: ranges first, then what changed meanwhile. A restart continues. */
import { type Bytes32, hexToBytes, type Logger } from '@keelson/primitives'
import type { KeyValueOp } from '@keelson/runtime'
import type { StateBlock, StateDownload, StateStore } from '@keelson/state'
import type { Unsubscribe } from '../../emitter.ts'
import { heal } from './heal.ts'
import { syncRanges } from './range-sync.ts'
import { decodeProgress, type SnapProgress } from './snap-progress.ts'
import type { SnapPool } from './snap-requests.ts'
import { createStateWriter, type SnapCounts, type StateWriter } from './state-writer.ts'

export interface Pivots {
  /** The block whose state is to be fetched. Peers have to serve it until it changes. */
  current(): StateBlock
  onChange(listener: () => void): Unsubscribe
}

export type SnapPhase = 'ranges' | 'healing'

export interface SnapStatus {
  readonly phase: SnapPhase
  readonly pivot: StateBlock
  readonly counts: SnapCounts & { readonly nodes: number }
  /** Share of the address hashes whose accounts have been received, 0 to 1. */
  readonly done: number
}

export interface SnapSync {
  /** Null before the start. */
  status(): SnapStatus | null
  /** Resolves with the block whose state the store then holds. Rejects when `signal` aborts, or when the store fails. */
  run(signal: AbortSignal): Promise<StateBlock>
}

/** Ends the download; `ops` are written in the same batch. */
export type FinishDownload = (ops: readonly KeyValueOp[]) => Promise<void>

export interface SnapSyncDependencies {
  readonly state: Pick<StateStore, 'download'>
  readonly pool: SnapPool
  readonly pivots: Pivots
  readonly log: Logger
  /** Called for each pivot before its state is fetched. */
  prepare?(pivot: StateBlock, signal: AbortSignal): Promise<void>
  /** Called when the tables hold the state of the pivot. Default: calls `finish` at once. */
  finish?(pivot: StateBlock, finish: FinishDownload): Promise<void>
  onProgress?(status: SnapStatus): void
}

interface Work {
  readonly download: StateDownload
  readonly progress: SnapProgress
  readonly writer: StateWriter
  readonly healed: { nodes: number }
}

export function createSnapSync(deps: SnapSyncDependencies): SnapSync {
  const { state, pool, pivots, log, prepare, onProgress, finish = (_pivot, end) => end([]) } = deps
  let status: (() => SnapStatus) | null = null
  const report = () => {
    if (status !== null) onProgress?.(status())
  }

  async function attempt(work: Work, signal: AbortSignal): Promise<StateBlock | null> {
    const pivot = pivots.current()
    const moved = new AbortController()
    const unsubscribe = pivots.onChange(() => {
      if (pivots.current().hash !== pivot.hash) moved.abort()
    })
    const either = AbortSignal.any([signal, moved.signal])
    try {
      await prepare?.(pivot, either)
      await fetchState(work, pivot, either)
      await finish(pivot, (ops) => work.download.finish(pivot, ops))
      return pivot
    } catch (error) {
      signal.throwIfAborted()
      if (!moved.signal.aborted) throw error
      log.info('the pivot of the state sync moves', { from: pivot.number, to: pivots.current().number })
      return null
    } finally {
      unsubscribe()
    }
  }

  async function fetchState({ download, progress, writer, healed }: Work, pivot: StateBlock, signal: AbortSignal): Promise<void> {
    const root = hexToBytes(pivot.stateRoot)
    let phase: SnapPhase = 'ranges'
    status = () => ({ phase, pivot, counts: { ...writer.counts, ...healed }, done: shareDone(progress) })
    report()
    await syncRanges({ pool, progress, writer }, root, signal)
    phase = 'healing'
    await heal({ pool, download, writer, counts: healed }, root, signal)
  }

  return {
    status: () => status?.() ?? null,
    async run(signal) {
      const download = await state.download()
      const progress = decodeProgress(download.progress)
      const writer = createStateWriter({ download, pool, progress, onWrite: report })
      const work: Work = { download, progress, writer, healed: { nodes: 0 } }
      for (;;) {
        const pivot = await attempt(work, signal)
        if (pivot !== null) return pivot
      }
    },
  }
}

function shareDone({ accounts }: SnapProgress): number {
  const place = (key: Bytes32) => new DataView(key.buffer, key.byteOffset).getUint32(0)
  const left = accounts.reduce((sum, { next, last }) => sum + place(last) - place(next), 0)
  return 1 - left / 2 ** 32
}
