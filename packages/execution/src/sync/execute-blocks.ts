/** Executes the blocks of the skeleton in order, and moves the head along. */
import type { Hash } from '@keelson/primitives'
import type { StateStore } from '@keelson/state'
import type { ChainReader, SealedHeader } from '../chain/chain-reader.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { Engine, ExportVerdict } from '../engine/engine.ts'
import { ExecutionError } from '../errors.ts'
import { BlockStream } from './bodies/block-stream.ts'
import type { FetchedBlock } from './bodies/fetched-block.ts'
import type { PeerPool } from './peers/peer-pool.ts'
import type { Skeleton } from './skeleton/skeleton.ts'
import type { SyncProgress } from './sync-progress.ts'
import type { SyncTargets } from './sync-targets.ts'

export interface ExecuteBlocksDependencies {
  readonly chain: Pick<ChainReader, 'header'>
  readonly state: Pick<StateStore, 'hasState'>
  readonly rules: Pick<ChainRules, 'rulesAt'>
  readonly engine: Pick<Engine, 'importCovered' | 'advance'>
  readonly targets: Pick<SyncTargets, 'current' | 'offered'>
  readonly skeleton: Skeleton
  readonly pool: PeerPool
  readonly progress: SyncProgress
  /** Resolves once the state of executed blocks is on disk, which bounds memory. */
  settled(): Promise<void>
}

export type ExecutionEnd =
  /** `last` is the head of the skeleton. */
  | { readonly kind: 'end'; readonly last: SealedHeader }
  /** The consensus client wants another head. */
  | { readonly kind: 'target-moved' }
  | { readonly kind: 'invalid'; readonly hash: Hash; readonly reason: string; readonly latestValidHash: Hash }
  | { readonly kind: 'unsupported-fork'; readonly reason: string }

const BLOCKS_PER_HEAD = 128

export class BlockExecution {
  readonly #deps: ExecuteBlocksDependencies
  #stream: { readonly blocks: BlockStream; next: number } | null = null

  constructor(deps: ExecuteBlocksDependencies) {
    this.#deps = deps
  }

  /** `start` is the stored parent of the skeleton. Rejects when `signal` aborts. */
  async run(start: SealedHeader, signal: AbortSignal): Promise<ExecutionEnd> {
    const { engine, skeleton, state, progress, targets } = this.#deps
    if (!state.hasState(start.hash)) await engine.advance(start.hash)
    let last = this.#lastExecuted(start)
    for (let sinceHead = 0; ; sinceHead++) {
      const { head } = skeleton
      if (head === null || last.header.number >= head.number) return { kind: 'end', last }
      progress.blocks(last.header.number, head.number)
      const moved = targets.current?.head !== head.hash
      if ((moved && last.hash !== start.hash) || sinceHead === BLOCKS_PER_HEAD) await this.#moveHead(last)
      if (moved) return { kind: 'target-moved' }
      if (sinceHead === BLOCKS_PER_HEAD) sinceHead = 0
      const next = await this.#take(last.header.number + 1, head.number, signal)
      const verdict = await this.#execute(next)
      switch (verdict.kind) {
        case 'valid':
          last = next.header
          break
        case 'unknown-parent':
          throw new ExecutionError(
            'execution/missing-state',
            `block ${last.header.number} (${last.hash}) has no state to execute its child on`,
          )
        default:
          if (last.hash !== start.hash) await this.#moveHead(last)
          if (verdict.kind === 'unsupported-fork') return verdict
          return { kind: 'invalid', hash: next.header.hash, reason: verdict.reason, latestValidHash: last.hash }
      }
    }
  }

  /** Drops blocks that were fetched ahead. */
  reset(): void {
    this.#stream?.blocks.close()
    this.#stream = null
  }

  /** The last block that an earlier run has executed. */
  #lastExecuted(start: SealedHeader): SealedHeader {
    const { chain, skeleton, state } = this.#deps
    for (let at = start; ; ) {
      const next = skeleton.header(at.header.number + 1)
      if (next === null || next.header.parentHash !== at.hash || chain.header(next.hash) === null || !state.hasState(next.hash)) return at
      at = next
    }
  }

  async #take(number: number, head: number, signal: AbortSignal): Promise<FetchedBlock> {
    const { pool, rules, skeleton, targets } = this.#deps
    let stream = this.#stream
    if (stream?.next !== number) {
      this.reset()
      const deps = { pool, rules, header: (at: number) => skeleton.header(at), offered: (hash: Hash) => targets.offered(hash) }
      stream = { blocks: new BlockStream(deps, number, signal), next: number }
      this.#stream = stream
    }
    const block = await stream.blocks.take(head)
    stream.next++
    return block
  }

  async #execute(fetched: FetchedBlock): Promise<ExportVerdict> {
    if (fetched.kind === 'covered') return this.#deps.engine.importCovered(fetched.block)
    return { kind: 'invalid', reason: `block ${fetched.header.header.number}: ${fetched.reason}`, latestValidHash: null }
  }

  async #moveHead(block: SealedHeader): Promise<void> {
    const { engine, settled, skeleton } = this.#deps
    await engine.advance(block.hash)
    await skeleton.consume(block)
    await settled()
  }
}
