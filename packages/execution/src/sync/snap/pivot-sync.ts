/**
 * Fetches the blocks up to a recent one and its state instead of executing the chain. A restart continues; the chain has no state
 * until the end.
 */
import type { Hash, Logger } from '@keelson/primitives'
import type { StateBlock, StateStore } from '@keelson/state'
import type { ChainReader, SealedHeader } from '../../chain/chain-reader.ts'
import type { ChainRules } from '../../chain-rules.ts'
import type { Engine } from '../../engine/engine.ts'
import { createExclusive } from '../../exclusive.ts'
import type { PeerPool } from '../peers/peer-pool.ts'
import { blockRecords, type FetchedRecord } from '../records/block-records.ts'
import { BadRecord, type ChainRecords } from '../records/chain-records.ts'
import type { Skeleton } from '../skeleton/skeleton.ts'
import type { SyncProgress } from '../sync-progress.ts'
import type { SyncTargets } from '../sync-targets.ts'
import { HeadPivot, PIVOT_DISTANCE } from './head-pivot.ts'
import type { SnapPool } from './snap-requests.ts'
import { createSnapSync, type FinishDownload } from './snap-sync.ts'

export interface PivotSyncDependencies {
  readonly chain: Pick<ChainReader, 'genesis' | 'label'>
  readonly state: Pick<StateStore, 'download' | 'downloading'>
  readonly rules: Pick<ChainRules, 'rulesAt'>
  readonly engine: Pick<Engine, 'adopt'>
  readonly records: ChainRecords
  readonly targets: SyncTargets
  readonly skeleton: Skeleton
  readonly pool: PeerPool
  readonly snapPool: SnapPool
  readonly progress: SyncProgress
  readonly log: Logger
}

export type PivotEnd =
  /** The head is a block with state, and the rest of the skeleton can be executed on it. */
  { readonly kind: 'end' } | { readonly kind: 'invalid'; readonly hash: Hash; readonly reason: string }

export class PivotSync {
  readonly #deps: PivotSyncDependencies
  /** Changes of the skeleton. */
  readonly #skeletonTurns = createExclusive()

  constructor(deps: PivotSyncDependencies) {
    this.#deps = deps
  }

  /** True for an empty chain that is long enough, and after a restart in the middle. `parent` is the stored parent of the skeleton. */
  isDue(parent: SealedHeader): boolean {
    const { chain, skeleton, state } = this.#deps
    if (state.downloading) return true
    const { hash, header } = chain.genesis
    if (chain.label('unsafe').hash !== hash || parent.hash !== hash) return false
    return (skeleton.head?.number ?? 0) - PIVOT_DISTANCE > header.number
  }

  /** Rejects when `signal` aborts. */
  async run(parent: SealedHeader, signal: AbortSignal): Promise<PivotEnd> {
    const { log, records, skeleton, snapPool, state, targets } = this.#deps
    // From here on the chain has no state, also after a restart.
    await state.download()
    await records.dropAbove(parent)
    const pivots = new HeadPivot(skeleton, parent, log)
    const failed = new AbortController()
    const unsubscribe = targets.onChange(() => {
      this.#skeletonTurns.run(() => this.#extend(pivots)).catch((error: unknown) => failed.abort(error))
    })
    try {
      const sync = createSnapSync({
        state,
        pool: snapPool,
        pivots,
        log,
        prepare: (pivot, within) => this.#storeUpTo(pivot, within),
        finish: (pivot, finish) => this.#adopt(pivot, finish),
        onProgress: (status) => this.#deps.progress.state(status),
      })
      const pivot = await sync.run(AbortSignal.any([signal, failed.signal]))
      log.info('sync: the state is complete, and the blocks above it are executed', { pivot: pivot.number, hash: pivot.hash })
      return { kind: 'end' }
    } catch (error) {
      if (error instanceof BadRecord) return { kind: 'invalid', hash: error.hash, reason: error.message }
      throw error
    } finally {
      unsubscribe()
      await this.#skeletonTurns.idle()
    }
  }

  /** Takes the payloads that the consensus client has sent since; they are remembered for a short time. */
  async #extend(pivots: HeadPivot): Promise<void> {
    const { skeleton, targets } = this.#deps
    const { head } = skeleton
    const path = targets.current === null || head === null ? null : targets.pathTo(targets.current.head, head.hash)
    for (const header of path ?? []) await skeleton.setHead(header)
    pivots.update()
  }

  async #storeUpTo(pivot: StateBlock, signal: AbortSignal): Promise<void> {
    const { pool, progress, records, rules, skeleton } = this.#deps
    const from = skeleton.segments.at(-1)?.tail ?? pivot.number + 1
    const deps = { pool, rules, header: (number: number) => skeleton.header(number) }
    progress.records(from - 1, pivot.number, skeleton.head?.number ?? pivot.number)
    for await (const batch of blockRecords(deps, { from, to: pivot.number }, signal)) {
      await records.store(batch)
      const { header: last } = (batch.at(-1) as FetchedRecord).block
      await this.#skeletonTurns.run(() => skeleton.consume(last))
      progress.records(last.header.number, pivot.number, skeleton.head?.number ?? pivot.number)
    }
  }

  #adopt(pivot: StateBlock, finish: FinishDownload): Promise<void> {
    return this.#deps.engine.adopt(pivot.hash, finish)
  }
}
