/** Filters survive restarts, and expire if not polled; libraries create a new filter on `filter not found`. */
import type { RpcContext, RpcHandler, RpcMethods } from '@keelson/runtime'
import type { Unsubscribe } from '../../emitter.ts'
import { createExclusive, type Exclusive } from '../../exclusive.ts'
import type { PooledTransaction } from '../../txpool/pool-types.ts'
import { pendingTransactionToJson } from '../block-json.ts'
import { filterNotFound, rpcError, serverError } from '../errors.ts'
import { type LogQuery, logQueryToJson, parseLogQuery, termCount } from '../eth/log-query.ts'
import { limitedClient } from '../limits/client-quota.ts'
import { CriteriaQuota } from '../limits/criteria-quota.ts'
import { argument, optionalArgument, parseBoolean, parseText } from '../params.ts'
import { type RpcDependencies, randomId } from '../rpc-dependencies.ts'
import { blockChanges, type Changes, type Cursor, headPlace, logChanges, type Place } from './filter-cursor.ts'
import type { FilterJournal, FilterKind, StoredFilter } from './filter-journal.ts'

interface Filter {
  readonly what: FilterKind
  readonly release: () => void
  expiresAtMs: number
  cursor: Cursor
  saved: Cursor
  waiting: unknown[]
  readonly polls: Exclusive
}

/** A pending-transaction filter with more unread entries is dropped. */
const MAX_WAITING_HASHES = 20_000
const MAX_WAITING_TRANSACTIONS = 1_000
const MAX_TERMS = 100_000
/** Limits the blocks that a restart must read for a filter without results. */
const SAVE_EVERY_BLOCKS = 256
/** Maximum number of positions that a client may be at after crashes during responses. */
const MAX_UNSURE = 16

export interface FilterStorage {
  readonly journal: FilterJournal
  readonly stored: ReadonlyMap<string, StoredFilter>
}

/** Refuses a filter from the newest block to a number, as go-ethereum's `SubscribeLogs` does: no log would ever fit it. */
function followable(query: LogQuery): LogQuery {
  const { range } = query
  if ('blockHash' in range || range.to.kind !== 'number') return query
  if (range.from.kind === 'tag' && range.from.tag !== 'earliest') throw rpcError('blockRange')
  return query
}

export class Filters {
  readonly methods: RpcMethods
  readonly #deps: RpcDependencies
  readonly #journal: FilterJournal
  readonly #quota: CriteriaQuota
  /** Least recently polled first. */
  readonly #filters = new Map<string, Filter>()
  readonly #stopPending: Unsubscribe

  constructor(deps: RpcDependencies, { journal, stored }: FilterStorage, getLogs: RpcHandler) {
    const { options } = deps
    this.#deps = deps
    this.#journal = journal
    this.#quota = new CriteriaQuota(
      { perClient: options.maxFiltersPerClient, total: options.maxFilters },
      { perClient: options.maxFilterTermsPerClient, total: MAX_TERMS },
    )
    for (const [id, { what, unsure, sent }] of stored) {
      this.#add(id, what, { unsure, sent }, this.#takePlaces(null, what) ?? (() => undefined))
    }
    this.#stopPending = deps.pool.onExecutable((pooled) => this.#addPending(pooled))
    this.methods = {
      eth_newFilter: (params, context) =>
        this.#open({ kind: 'logs', query: followable(argument(params, 0, (value) => parseLogQuery(value, options))) }, context),
      eth_newBlockFilter: (_params, context) => this.#open({ kind: 'blocks' }, context),
      eth_newPendingTransactionFilter: (params, context) =>
        this.#open({ kind: 'transactions', full: optionalArgument(params, 0, false, parseBoolean) }, context),
      eth_getFilterChanges: (params, { signal }) => {
        const id = argument(params, 0, parseText)
        const filter = this.#get(id)
        return filter.polls.run(() => this.#poll(id, filter, signal))
      },
      eth_getFilterLogs: (params, context) => {
        const { what } = this.#get(argument(params, 0, parseText))
        if (what.kind !== 'logs') throw filterNotFound()
        return getLogs([logQueryToJson(what.query)], context)
      },
      eth_uninstallFilter: (params) => {
        this.#sweep()
        return this.#remove(argument(params, 0, parseText))
      },
    }
  }

  get count(): number {
    return this.#filters.size
  }

  async stop(): Promise<void> {
    this.#stopPending()
    // After an orderly stop every response has been delivered, so the client's position is certain.
    for (const [id, filter] of this.#filters) {
      const { sent, unsure } = filter.cursor
      if (unsure.length === 0 && (filter.saved.unsure.length > 0 || filter.saved.sent.hash !== sent.hash)) void this.#save(id, filter, [])
    }
    await this.#journal.flush()
    this.#filters.clear()
  }

  async #open(what: FilterKind, context: RpcContext): Promise<string> {
    this.#sweep()
    const { options, chain, random } = this.#deps
    const client = limitedClient(context)
    const release = this.#takePlaces(client, what)
    if (release === null) {
      const most = client === null ? options.maxFilters : Math.min(options.maxFilters, options.maxFiltersPerClient)
      throw serverError(`too many filters: at most ${most}; uninstall some or subscribe over WebSocket`)
    }
    const id = randomId(random)
    await this.#save(id, this.#add(id, what, { sent: headPlace(chain), unsure: [] }, release), [])
    return id
  }

  #add(id: string, what: FilterKind, cursor: Cursor, release: () => void): Filter {
    const filter = { what, release, expiresAtMs: 0, cursor, saved: cursor, waiting: [], polls: createExclusive() }
    this.#touch(id, filter)
    return filter
  }

  #get(id: string): Filter {
    this.#sweep()
    const filter = this.#filters.get(id)
    if (filter === undefined) throw filterNotFound()
    this.#touch(id, filter)
    return filter
  }

  #touch(id: string, filter: Filter): void {
    filter.expiresAtMs = this.#deps.clock.nowMs() + this.#deps.options.filterLifetimeMs
    this.#filters.delete(id)
    this.#filters.set(id, filter)
  }

  #remove(id: string): boolean {
    const filter = this.#filters.get(id)
    if (filter === undefined) return false
    filter.release()
    this.#journal.remove(id)
    return this.#filters.delete(id)
  }

  #sweep(): void {
    const nowMs = this.#deps.clock.nowMs()
    for (const [id, filter] of this.#filters) {
      if (filter.expiresAtMs > nowMs) return
      this.#remove(id)
    }
  }

  #takePlaces(client: string | null, what: FilterKind): (() => void) | null {
    const taken = this.#quota.take(client, what.kind === 'logs' ? termCount(what.query.criteria) : 0)
    return typeof taken === 'function' ? taken : null
  }

  async #save(id: string, filter: Filter, unsure: readonly Place[]): Promise<void> {
    filter.saved = { unsure, sent: filter.cursor.sent }
    try {
      await this.#journal.save(id, { what: filter.what, ...filter.saved })
    } catch (error) {
      this.#deps.log.warn('could not save a filter; its client must create a new one after a restart', { id, error })
    }
  }

  async #poll(id: string, filter: Filter, signal: AbortSignal): Promise<readonly unknown[]> {
    const { chain } = this.#deps
    const changes = await this.#changesOf(filter, signal)
    if (changes === null) {
      this.#remove(id)
      throw filterNotFound()
    }
    const before = [...filter.cursor.unsure, filter.cursor.sent].slice(-MAX_UNSURE)
    // A partial response may end before a position that the client has already reached.
    const further = before.filter(({ number, hash }) => number > changes.place.number && chain.canonicalHash(number) === hash)
    filter.cursor = { sent: changes.place, unsure: further }
    if (filter.what.kind === 'transactions' || !this.#filters.has(id)) return changes.items
    // A new poll in the same run proves that the previous response was read.
    if (changes.items.length > 0) await this.#save(id, filter, before)
    else if (filter.saved.unsure.length > 0 || changes.place.number - filter.saved.sent.number >= SAVE_EVERY_BLOCKS)
      await this.#save(id, filter, further)
    return changes.items
  }

  #changesOf(filter: Filter, signal: AbortSignal): Changes<unknown> | null | Promise<Changes<unknown> | null> {
    const { chain, options } = this.#deps
    if (filter.what.kind === 'logs') return logChanges(chain, filter.what.query, filter.cursor, options, signal)
    if (filter.what.kind === 'blocks') return blockChanges(chain, filter.cursor)
    const items = filter.waiting
    filter.waiting = []
    return { items, place: headPlace(chain) }
  }

  #addPending(pooled: PooledTransaction): void {
    for (const [id, filter] of this.#filters) {
      if (filter.what.kind !== 'transactions') continue
      const { full } = filter.what
      if (filter.waiting.length >= (full ? MAX_WAITING_TRANSACTIONS : MAX_WAITING_HASHES)) this.#remove(id)
      else filter.waiting.push(full ? pendingTransactionToJson(pooled.tx, pooled.sender) : pooled.hash)
    }
  }
}
