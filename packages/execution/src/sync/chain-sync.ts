/**
 * Fetches the chain up to the head that the consensus client wants: headers down to a stored block, then the blocks above it, which
 * are executed in order. What was done is on disk, so that a killed process continues.
 */
import type { Clock, Hash, Logger } from '@keelson/primitives'
import { createPoller, type Service } from '@keelson/runtime'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { Engine } from '../engine/engine.ts'
import type { BlockImporter } from '../import/block-import.ts'
import type { BlockExecution } from './execute-blocks.ts'
import type { PeerPool } from './peers/peer-pool.ts'
import { fetchHeader } from './skeleton/header-requests.ts'
import type { Skeleton } from './skeleton/skeleton.ts'
import type { PivotSync } from './snap/pivot-sync.ts'
import type { SyncProgress } from './sync-progress.ts'
import type { SyncTargets } from './sync-targets.ts'

export interface ChainSyncDependencies {
  readonly engine: Pick<Engine, 'applyTarget'>
  readonly importer: Pick<BlockImporter, 'condemn' | 'condemnDescendant'>
  readonly targets: SyncTargets
  readonly skeleton: Skeleton
  readonly execution: BlockExecution
  readonly pool: PeerPool
  /** Null when each block is executed. */
  readonly pivotSync: PivotSync | null
  readonly progress: SyncProgress
  readonly clock: Clock
  readonly log: Logger
}

const RETRY = { firstMs: 1_000, longestMs: 60_000 }

export function createChainSync(deps: ChainSyncDependencies): Service {
  const { clock, log, skeleton } = deps
  const sync = new ChainSync(deps)
  const poller = createPoller((signal) => sync.step(signal), {
    clock,
    intervalMs: 0,
    backoff: RETRY,
    onError: (error) => log.error('sync failed and will be tried again', { error }),
  })
  return {
    name: 'sync',
    failure: poller.failure,
    async start() {
      await skeleton.tidy()
      poller.start()
    },
    stop: () => poller.stop(),
  }
}

class ChainSync {
  readonly #deps: ChainSyncDependencies

  constructor(deps: ChainSyncDependencies) {
    this.#deps = deps
  }

  /** Returns when the target was reached or refused, or when another one does not continue it. */
  async step(signal: AbortSignal): Promise<void> {
    const { execution, progress, targets } = this.#deps
    if (targets.current === null) {
      progress.end()
      return targets.wait(signal)
    }
    const attempt = new AbortController()
    const unsubscribe = targets.onChange(() => {
      if (!this.#continues()) attempt.abort()
    })
    try {
      while (targets.current !== null) await this.#follow(targets.current.head, AbortSignal.any([signal, attempt.signal]))
    } catch (error) {
      if (!attempt.signal.aborted) throw error
    } finally {
      unsubscribe()
      execution.reset()
    }
  }

  /** True when the payloads received since lead from the skeleton to the newest target. */
  #continues(): boolean {
    const { skeleton, targets } = this.#deps
    const { head } = skeleton
    return targets.current !== null && head !== null && targets.pathTo(targets.current.head, head.hash) !== null
  }

  async #follow(target: Hash, signal: AbortSignal): Promise<void> {
    const { execution, importer, pivotSync } = this.#deps
    const parent = await this.#reachTarget(target, signal)
    if (parent === null) return
    if (pivotSync?.isDue(parent)) {
      const end = await pivotSync.run(parent, signal)
      if (end.kind === 'end') return
      if (end.kind === 'unsupported-fork') return this.#stopAtFork(end.reason)
      if (end.kind === 'invalid') {
        importer.condemn(end.hash, end.reason, null)
        return this.#refuse(end.hash)
      }
    }
    const ended = await execution.run(parent, signal)
    switch (ended.kind) {
      case 'target-moved':
        return
      case 'end':
        return this.#applyForkchoice(ended.last)
      case 'unsupported-fork':
        return this.#stopAtFork(ended.reason)
      case 'invalid':
        importer.condemn(ended.hash, ended.reason, ended.latestValidHash)
        return this.#refuse(ended.hash)
    }
  }

  /** Returns the stored block below the skeleton, or null when the target was refused. */
  async #reachTarget(target: Hash, signal: AbortSignal): Promise<SealedHeader | null> {
    const { importer, pool, progress, skeleton, targets } = this.#deps
    const path = skeleton.head === null ? null : targets.pathTo(target, skeleton.head.hash)
    if (path === null) {
      this.#deps.execution.reset()
      await skeleton.setHead(targets.header(target) ?? (await fetchHeader(pool, target, signal)))
    } else {
      for (const header of path) await skeleton.setHead(header)
    }
    progress.headers(skeleton.segments)
    const filled = await skeleton.fill(signal)
    if (filled.kind === 'linked') return filled.parent
    if (filled.kind === 'invalid') await this.#refuse(filled.ancestor)
    else {
      importer.condemn(target, filled.reason, null)
      await this.#refuse(target)
    }
    return null
  }

  async #applyForkchoice(last: SealedHeader): Promise<void> {
    const { engine, log, skeleton } = this.#deps
    const end = await engine.applyTarget(last.hash)
    if (end.kind === 'head-only') log.warn('sync has reached the head, but its safe and final blocks do not fit', { error: end.error })
    await skeleton.consume(last)
  }

  #stopAtFork(reason: string): void {
    this.#deps.log.error('sync stops at a fork that this release does not implement', { reason })
    this.#deps.targets.drop()
  }

  /** `bad` was condemned before and is the target or below it. */
  async #refuse(bad: Hash): Promise<void> {
    const { importer, log, skeleton, targets } = this.#deps
    const heads = [skeleton.head?.hash, targets.current?.head].filter((hash) => hash !== undefined && hash !== bad) as Hash[]
    for (const hash of heads) importer.condemnDescendant(hash, bad)
    log.warn('sync refuses the head, because it builds on an invalid block', { block: bad, head: targets.current?.head })
    await skeleton.clear()
    targets.drop()
  }
}
