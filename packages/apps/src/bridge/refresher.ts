import type { Clock, Hash } from '@keelson/primitives'
import type { ChainQueries } from './chain-queries.ts'
import { needsL1 } from './l1-lookup.ts'
import { canMove } from './l2-refresh.ts'
import { createQueryQueue, createSharedQuery, type QueryQueue } from './query-queue.ts'
import type { RecordStore } from './record-store.ts'

export interface RefresherDependencies {
  readonly queries: ChainQueries
  readonly records: RecordStore
  readonly clock: Clock
}

const FRESH_MS = 1_000
const MAX_FRESH = 10_000
const MAX_RUNNING = 2_000
const L1_LOOKUPS_AT_ONCE = 16
const L2_TRANSACTIONS_PER_QUERY = 200

export class Refresher {
  readonly #deps: RefresherDependencies
  readonly #refreshedMs = new Map<Hash, number>()
  readonly #running = new Map<Hash, Promise<boolean>>()
  readonly #l1Queue: QueryQueue
  readonly #askL2: (txHash: Hash) => Promise<boolean>

  constructor(deps: RefresherDependencies) {
    this.#deps = deps
    this.#l1Queue = createQueryQueue({ atOnce: L1_LOOKUPS_AT_ONCE, maxWaiting: MAX_RUNNING })
    this.#askL2 = createSharedQuery((txHashes) => deps.queries.askL2(txHashes), L2_TRANSACTIONS_PER_QUERY)
  }

  /** Resolves to false if a chain did not respond; null when there are too many requests. */
  refresh(txHash: Hash): Promise<boolean> | null {
    const running = this.#running.get(txHash)
    if (running !== undefined) return running
    const refreshedMs = this.#refreshedMs.get(txHash) ?? Number.NEGATIVE_INFINITY
    if (this.#deps.clock.monotonicMs() - refreshedMs < FRESH_MS) return Promise.resolve(true)
    if (this.#running.size >= MAX_RUNNING) return null
    const run = this.#ask(txHash)
      .then((answered) => {
        if (answered) this.#remember(txHash)
        return answered
      })
      .finally(() => this.#running.delete(txHash))
    this.#running.set(txHash, run)
    return run
  }

  async idle(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }

  async #ask(txHash: Hash): Promise<boolean> {
    const { queries, records } = this.#deps
    const l1Answered = !needsL1(records.get(txHash), records) || ((await this.#l1Queue.run(() => queries.askL1(txHash))) ?? false)
    const record = records.get(txHash)
    return (record === null || !canMove(record) || (await this.#askL2(txHash))) && l1Answered
  }

  #remember(txHash: Hash): void {
    this.#refreshedMs.delete(txHash)
    this.#refreshedMs.set(txHash, this.#deps.clock.monotonicMs())
    if (this.#refreshedMs.size > MAX_FRESH) this.#refreshedMs.delete(this.#refreshedMs.keys().next().value as Hash)
  }
}
