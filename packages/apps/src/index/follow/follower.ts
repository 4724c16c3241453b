/** Moves an index along its chain, back and forward. Only the elected writer changes the database. */
import type { Clock, Hash, Logger } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import {
  createPoller,
  createProgressLog,
  createProgressMeter,
  type Metrics,
  type Poller,
  type ProgressLog,
  type ProgressMeter,
  type Service,
} from '@keelson/runtime'
import type { BlockRef } from '../chain/ports.ts'
import { fetchAhead } from './fetch-ahead.ts'

export interface FollowerOptions {
  readonly name: 'L1' | 'L2'
  readonly startBlock: number
  readonly pollIntervalMs: number
  readonly partsAtOnce: number
}

export interface FollowedBlock extends BlockRef {
  readonly parentHash: Hash
}

export interface FollowedChain<B extends FollowedBlock> {
  head(): Promise<BlockRef>
  /** Null for numbers above the node's head. */
  hashes(numbers: readonly number[]): Promise<readonly (Hash | null)[]>
  /** Returns blocks from `from` on, each the parent of the next; fewer than `count` when the chain ends or changes meanwhile. */
  blocks(from: number, count: number): Promise<readonly B[]>
  /** How much of a part's size a block takes; a part has 2,000. */
  weightOf(block: B): number
}

/** Rows and cursor move together. */
export interface FollowedStore<B extends FollowedBlock> {
  cursor(): Promise<BlockRef | null>
  /** Throws IndexError `apps/index-cursor-moved`. */
  append(after: BlockRef | null, blocks: readonly B[]): Promise<void>
  /** Null removes all blocks. Throws IndexError `apps/index-cursor-moved`. */
  rollBack(from: BlockRef, to: BlockRef | null): Promise<void>
  /** Newest first. */
  hashes(upTo: number, count: number): Promise<readonly BlockRef[]>
}

export interface FollowerDependencies<B extends FollowedBlock> {
  readonly chain: FollowedChain<B>
  readonly store: FollowedStore<B>
  readonly isWriter: () => Promise<boolean>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

export interface Follower extends Service {
  /** Catches up with the head; returns the milliseconds until the next step. */
  step(): Promise<number>
  readonly head: BlockRef | null
  readonly cursor: BlockRef | null
  readonly writing: boolean
  /** Null while steps succeed. */
  trouble(): string | null
}

const ANCESTOR_PAGE = 32
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 }
const TROUBLE_AFTER_MS = 30_000

export function createFollower<B extends FollowedBlock>(options: FollowerOptions, deps: FollowerDependencies<B>): Follower {
  return new ChainFollower(options, deps)
}

class ChainFollower<B extends FollowedBlock> implements Follower {
  readonly name: string
  readonly failure: Promise<never>
  readonly #options: FollowerOptions
  readonly #deps: FollowerDependencies<B>
  readonly #poller: Poller
  readonly #progress: ProgressLog
  readonly #transactions: ProgressMeter
  #transactionsDone = 0
  readonly #reorgs
  #head: BlockRef | null = null
  #cursor: BlockRef | null = null
  #writing = false
  #failingSinceMs: number | null = null
  #reason = ''

  constructor(options: FollowerOptions, deps: FollowerDependencies<B>) {
    this.name = `index of ${options.name}`
    this.#options = options
    this.#deps = { ...deps, log: deps.log.child(options.name.toLowerCase()) }
    const { clock, log, metrics } = this.#deps
    this.#progress = createProgressLog('indexing', clock, log)
    this.#transactions = createProgressMeter(clock)
    const prefix = options.name.toLowerCase()
    this.#reorgs = metrics.counter(`${prefix}_reorgs_total`, 'Reorgs that removed indexed blocks')
    metrics.gauge(`${prefix}_block`, 'Newest indexed block', [], () => this.#cursor?.number ?? 0)
    metrics.gauge(`${prefix}_lag_blocks`, 'Blocks of the chain that are not indexed yet', [], () =>
      Math.max(0, (this.#head?.number ?? 0) - (this.#cursor?.number ?? 0)),
    )
    metrics.gauge(`${prefix}_writer`, '1 when this process writes the database', [], () => (this.#writing ? 1 : 0))
    this.#poller = createPoller(() => this.step(), {
      clock,
      intervalMs: options.pollIntervalMs,
      backoff: BACKOFF,
      onError: (error) => this.#failed(error),
    })
    this.failure = this.#poller.failure
  }

  get head(): BlockRef | null {
    return this.#head
  }

  get cursor(): BlockRef | null {
    return this.#cursor
  }

  get writing(): boolean {
    return this.#writing
  }

  trouble(): string | null {
    const since = this.#failingSinceMs
    return since !== null && this.#deps.clock.monotonicMs() - since >= TROUBLE_AFTER_MS ? this.#reason : null
  }

  async start(): Promise<void> {
    this.#poller.start()
  }

  stop(): Promise<void> {
    return this.#poller.stop()
  }

  async step(): Promise<number> {
    const { chain, store, isWriter } = this.#deps
    const was = this.#writing
    this.#writing = await isWriter()
    if (this.#writing !== was) this.#deps.log.info(this.#writing ? 'this process writes the index' : 'another process writes the index')
    this.#cursor = await store.cursor()
    this.#head = await chain.head()
    if (this.#writing) await this.#catchUp(this.#head)
    this.#failingSinceMs = null
    return this.#options.pollIntervalMs
  }

  #failed(error: unknown): undefined {
    this.#reason = messageOf(error)
    if (this.#failingSinceMs === null) this.#deps.log.warn('indexing failed, retrying', { error: this.#reason })
    this.#failingSinceMs ??= this.#deps.clock.monotonicMs()
  }

  async #catchUp(head: BlockRef): Promise<void> {
    if (!(await this.#isOnChain(head))) await this.#rollBack(head)
    const { chain, store } = this.#deps
    const from = this.#cursor === null ? this.#options.startBlock : this.#cursor.number + 1
    for await (const blocks of fetchAhead(chain, { from, to: head.number }, this.#options)) {
      if (this.#poller.signal.aborted) return
      const [first] = blocks
      // The next step finds the common ancestor.
      if (first === undefined || (this.#cursor !== null && first.parentHash !== this.#cursor.hash)) return
      await store.append(this.#cursor, blocks)
      const { number, hash } = blocks.at(-1) as BlockRef
      this.#cursor = { number, hash }
      const weight = blocks.reduce((sum, block) => sum + chain.weightOf(block), 0)
      this.#transactionsDone += weight
      const { perSec } = this.#transactions.measure(this.#transactionsDone, null)
      this.#progress.note(number, head.number, perSec === null ? {} : { transactionsPerSec: Math.round(perSec) })
    }
  }

  /** A node whose head is below the index is only behind if its head is indexed. */
  async #isOnChain(head: BlockRef): Promise<boolean> {
    const cursor = this.#cursor
    if (cursor === null || cursor.hash === head.hash) return true
    if (head.number > cursor.number) return (await this.#deps.chain.hashes([cursor.number]))[0] === cursor.hash
    const [indexed] = await this.#deps.store.hashes(head.number, 1)
    return indexed?.hash === head.hash
  }

  async #rollBack(head: BlockRef): Promise<void> {
    const from = this.#cursor as BlockRef
    const to = await this.#commonAncestor(Math.min(from.number, head.number))
    await this.#deps.store.rollBack(from, to)
    this.#cursor = to
    this.#reorgs.inc()
    this.#deps.log.info('reorg: removed blocks', { from: from.number, to: to?.number ?? null })
  }

  async #commonAncestor(upTo: number): Promise<BlockRef | null> {
    const { chain, store } = this.#deps
    for (let at = upTo; ; at -= ANCESTOR_PAGE) {
      const indexed = await store.hashes(at, ANCESTOR_PAGE)
      if (indexed.length === 0) return null
      const canonical = await chain.hashes(indexed.map(({ number }) => number))
      const found = indexed.find(({ hash }, i) => canonical[i] === hash)
      if (found !== undefined) return found
    }
  }
}
