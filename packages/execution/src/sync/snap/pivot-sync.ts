/**
 * Fetches the blocks up to a recent one and its state instead of executing the chain. A restart continues; the head is genesis, and
 * the chain has no state until the end.
 */
import { type Clock, type Hash, hexToBytes, type Logger } from '@keelson/primitives'
import { withDeadline } from '@keelson/runtime'
import type { StateBlock, StateStore } from '@keelson/state'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import type { ChainStore } from '../../chain/chain-store.ts'
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
import { fetchAccounts, type SnapPool } from './snap-requests.ts'
import { createSnapSync, type FinishDownload } from './snap-sync.ts'

export interface PivotSyncDependencies {
  readonly chain: Pick<ChainStore, 'adopt' | 'genesis' | 'header' | 'isCanonical' | 'label'>
  readonly state: Pick<StateStore, 'download' | 'downloading' | 'hasState' | 'oldestHistory' | 'startDownload'>
  readonly rules: Pick<ChainRules, 'limit' | 'rulesAt'>
  readonly engine: Pick<Engine, 'adopt' | 'alone'>
  readonly records: ChainRecords
  readonly targets: SyncTargets
  readonly skeleton: Skeleton
  readonly pool: PeerPool
  readonly snapPool: SnapPool
  readonly progress: SyncProgress
  readonly clock: Clock
  readonly log: Logger
  /** Called when the chain has a state again. */
  onState(): Promise<unknown>
}

export type PivotEnd =
  /** The head is a block with state, and the rest of the skeleton can be executed on it. */
  | { readonly kind: 'end' }
  | { readonly kind: 'invalid'; readonly hash: Hash; readonly reason: string }
  | { readonly kind: 'unsupported-fork'; readonly reason: string }
  /** Nothing was changed, and the chain is to be executed. */
  | { readonly kind: 'no-peers' }

/** How long a node with an empty chain waits for a first peer that serves states. */
const PEERS_WAIT_MS = 120_000

export class PivotSync {
  readonly #deps: PivotSyncDependencies
  /** Changes of the skeleton. */
  readonly #skeletonTurns = createExclusive()
  #waitsSinceMs: number | null = null
  /** No peer served states in time. */
  #executes = false

  constructor(deps: PivotSyncDependencies) {
    this.#deps = deps
  }

  /**
   * True for an empty chain that is long enough, after a restart in the middle, and when the state of `parent`, the stored parent of
   * the skeleton, is out of reach, as after a reorg below an earlier pivot.
   */
  isDue(parent: SealedHeader): boolean {
    const { chain, skeleton, state } = this.#deps
    if (state.downloading || this.#isOutOfReach(parent)) return true
    const { hash, header } = chain.genesis
    if (this.#executes || chain.label('unsafe').hash !== hash || parent.hash !== hash) return false
    return (skeleton.head?.number ?? 0) - PIVOT_DISTANCE > header.number
  }

  /** Rejects when `signal` aborts. */
  async run(parent: SealedHeader, signal: AbortSignal): Promise<PivotEnd> {
    const unsupported = this.#unsupportedFork()
    if (unsupported !== null) return { kind: 'unsupported-fork', reason: unsupported }
    try {
      if (!(await this.#isServed(parent, signal))) return { kind: 'no-peers' }
      await this.#clear(parent)
      await this.#download(parent, signal)
      await this.#deps.onState()
      return { kind: 'end' }
    } catch (error) {
      if (error instanceof BadRecord) return { kind: 'invalid', hash: error.hash, reason: error.message }
      throw error
    }
  }

  #isOutOfReach(parent: SealedHeader): boolean {
    const { chain, state } = this.#deps
    let at = parent
    while (!state.hasState(at.hash) && !chain.isCanonical(at)) {
      const header = chain.header(at.header.parentHash)
      if (header === null) return true
      at = { hash: at.header.parentHash, header }
    }
    return !state.hasState(at.hash) && at.header.number < (state.oldestHistory ?? 0)
  }

  /** The head is the newest block: no pivot is past the limit when it is not, and later payloads past it are refused. */
  #unsupportedFork(): string | null {
    const { rules, skeleton } = this.#deps
    const { limit = null } = rules
    const head = skeleton.head === null ? null : skeleton.header(skeleton.head.number)
    return head !== null && limit?.refuses(head.header.timestampSec) ? limit.sentence : null
  }

  /**
   * False when the chain can be executed instead. The present state is kept until a peer has proved a part of the pivot's: anyone can
   * say that he speaks snap.
   */
  async #isServed(parent: SealedHeader, signal: AbortSignal): Promise<boolean> {
    const { clock, log, state } = this.#deps
    if (state.downloading) return true
    if (this.#isOutOfReach(parent)) {
      await this.#findServer(parent, signal)
      return true
    }
    this.#waitsSinceMs ??= clock.nowMs()
    const ms = Math.max(0, this.#waitsSinceMs + PEERS_WAIT_MS - clock.nowMs())
    const found = (over: AbortSignal) => this.#findServer(parent, over).then(() => true)
    if (await withDeadline(found, { clock, ms, signal, onTimeout: () => false })) {
      this.#waitsSinceMs = null
      return true
    }
    this.#executes = true
    log.warn('sync: no peer serves states, and each block is executed', { waitedSec: PEERS_WAIT_MS / 1_000 })
    return false
  }

  /** Resolves when a peer has served the first account of the pivot with its proof. Rejects only when `signal` aborts. */
  async #findServer(parent: SealedHeader, signal: AbortSignal): Promise<void> {
    const { log, skeleton, snapPool } = this.#deps
    const pivots = new HeadPivot(skeleton, parent, log)
    const origin = new Uint8Array(32)
    await this.#following(pivots, signal, async (within) => {
      for (let isServed = false; !isServed; ) {
        const moved = new AbortController()
        const unsubscribe = pivots.onChange(() => moved.abort())
        const root = hexToBytes(pivots.current().stateRoot)
        try {
          await fetchAccounts(snapPool, { root, origin, limit: origin }, AbortSignal.any([within, moved.signal]))
          isServed = true
        } catch (error) {
          within.throwIfAborted()
          if (!moved.signal.aborted) throw error
        } finally {
          unsubscribe()
        }
      }
    })
  }

  /** Moves the pivot with the head while `work` runs. */
  async #following<T>(pivots: HeadPivot, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const failed = new AbortController()
    const unsubscribe = this.#deps.targets.onChange(() => {
      this.#skeletonTurns.run(() => this.#extend(pivots)).catch((error: unknown) => failed.abort(error))
    })
    try {
      return await work(AbortSignal.any([signal, failed.signal]))
    } finally {
      unsubscribe()
      await this.#skeletonTurns.idle()
    }
  }

  async #clear(parent: SealedHeader): Promise<void> {
    const { chain, engine, log, records, state } = this.#deps
    if (!state.downloading) {
      const { number } = parent.header
      if (parent.hash !== chain.genesis.hash) log.warn('sync: the state of a block is out of reach, and a newer one is fetched', { number })
      // From here on the chain has no state, also after a restart.
      await engine.alone(() => chain.adopt(chain.genesis.hash, (ops) => state.startDownload(ops)))
    }
    await records.dropAbove(parent)
  }

  async #download(parent: SealedHeader, signal: AbortSignal): Promise<void> {
    const { log, skeleton, snapPool, state } = this.#deps
    const pivots = new HeadPivot(skeleton, parent, log)
    const sync = createSnapSync({
      state,
      pool: snapPool,
      pivots,
      log,
      prepare: (pivot, within) => this.#storeUpTo(pivot, within),
      finish: (pivot, finish) => this.#adopt(pivot, finish),
      onProgress: (status) => this.#deps.progress.state(status),
    })
    const pivot = await this.#following(pivots, signal, (within) => sync.run(within))
    log.info('sync: the state is complete, and the blocks above it are executed', { pivot: pivot.number, hash: pivot.hash })
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
