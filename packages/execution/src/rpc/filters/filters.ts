/**
 * Polled filters: logs, block hashes, pending transactions. They survive restarts and expire without polls; libraries create a new filter
 * on `filter not found`.
 */
import type { RpcContext, RpcHandler, RpcMethods } from '@keelson/runtime'
import { createExclusive, type Exclusive } from '../../exclusive.ts'
import { pendingTransactionToJson } from '../block-json.ts'
import { filterNotFound, serverError } from '../errors.ts'
import { logQueryToJson, parseLogQuery, termCount } from '../eth/log-query.ts'
import { createClientQuota, limitedClient } from '../limits/client-quota.ts'
import { argument, optionalArgument, parseBoolean, parseText } from '../params.ts'
import { type RpcDependencies, randomId } from '../rpc-dependencies.ts'
import { blockChanges, type Changes, type Cursor, headPlace, logChanges, type Place } from './filter-cursor.ts'
import type { FilterJournal, FilterKind, StoredFilter } from './filter-journal.ts'

interface Filter {
  readonly what: FilterKind
  /** Releases the quota of its client. */
  readonly release: () => void
  expiresAtMs: number
  cursor: Cursor
  /** The cursor on disk. */
  saved: Cursor
  /** Pending transactions or their hashes. */
  waiting: unknown[]
  /** Serializes the polls of the filter. */
  readonly polls: Exclusive
}

/** A pending-transaction filter with more unread entries is dropped. */
const MAX_WAITING_HASHES = 20_000
const MAX_WAITING_TRANSACTIONS = 1_000
/** Maximum addresses and topics in all filters. */
const MAX_TERMS = 100_000
/** Saves the position of a filter without results at this interval, to limit what a restart must read. */
const SAVE_EVERY_BLOCKS = 256
/** Maximum number of crashes during a response that a filter survives without repetition. */
const MAX_UNSURE = 16

export interface Filters {
  readonly methods: RpcMethods
  readonly count: () => number
  stop(): Promise<void>
}

export interface FilterStorage {
  readonly journal: FilterJournal
  /** Filters of the previous run. */
  readonly stored: ReadonlyMap<string, StoredFilter>
}

/** `getLogs` is the handler of eth_getLogs. */
export function createFilters(deps: RpcDependencies, { journal, stored }: FilterStorage, getLogs: RpcHandler): Filters {
  const { chain, options, clock } = deps
  /** Least recently polled first. */
  const filters = new Map<string, Filter>()
  const places = createClientQuota({ perClient: options.maxFiltersPerClient, total: options.maxFilters })
  const terms = createClientQuota({ perClient: options.maxFilterTermsPerClient, total: MAX_TERMS })

  const remove = (id: string): boolean => {
    const filter = filters.get(id)
    if (filter === undefined) return false
    filter.release()
    journal.remove(id)
    return filters.delete(id)
  }
  const touch = (id: string, filter: Filter): void => {
    filter.expiresAtMs = clock.nowMs() + options.filterLifetimeMs
    filters.delete(id)
    filters.set(id, filter)
  }
  const sweep = (): void => {
    const nowMs = clock.nowMs()
    for (const [id, filter] of filters) {
      if (filter.expiresAtMs > nowMs) return
      remove(id)
    }
  }
  const add = (id: string, what: FilterKind, cursor: Cursor, release: () => void): void => {
    touch(id, { what, release, expiresAtMs: 0, cursor, saved: cursor, waiting: [], polls: createExclusive() })
  }
  /** Takes quota and returns its release function, or null when the client or the node exceeds its limit. */
  const takePlaces = (client: string | null, what: FilterKind): (() => void) | null => {
    if (places.take(client, 1) !== 'taken') return null
    const count = what.kind === 'logs' ? termCount(what.query.criteria) : 0
    if (terms.take(client, count) !== 'taken') {
      places.release(client, 1)
      return null
    }
    return () => {
      places.release(client, 1)
      terms.release(client, count)
    }
  }
  // The clients of stored filters are not recorded.
  for (const [id, { what, unsure, sent }] of stored) add(id, what, { unsure, sent }, takePlaces(null, what) ?? (() => undefined))

  const save = async (id: string, filter: Filter, unsure: readonly Place[]): Promise<void> => {
    filter.saved = { unsure, sent: filter.cursor.sent }
    try {
      await journal.save(id, { what: filter.what, ...filter.saved })
    } catch (error) {
      deps.log.warn('could not save a filter; its client must create a new one after a restart', { id, error })
    }
  }
  const open = async (what: FilterKind, context: RpcContext): Promise<string> => {
    sweep()
    const client = limitedClient(context)
    const release = takePlaces(client, what)
    if (release === null) {
      const most = client === null ? options.maxFilters : Math.min(options.maxFilters, options.maxFiltersPerClient)
      throw serverError(`too many filters: at most ${most}; uninstall some or subscribe over WebSocket`)
    }
    const id = randomId(deps.random)
    add(id, what, { sent: headPlace(chain), unsure: [] }, release)
    await save(id, filters.get(id) as Filter, [])
    return id
  }
  const get = (id: string): Filter => {
    sweep()
    const filter = filters.get(id)
    if (filter === undefined) throw filterNotFound()
    touch(id, filter)
    return filter
  }

  const changesOf = (filter: Filter, signal: AbortSignal): Changes<unknown> | null | Promise<Changes<unknown> | null> => {
    if (filter.what.kind === 'logs') return logChanges(chain, filter.what.query, filter.cursor, options, signal)
    if (filter.what.kind === 'blocks') return blockChanges(chain, filter.cursor)
    const items = filter.waiting
    filter.waiting = []
    return { items, place: headPlace(chain) }
  }
  const poll = async (id: string, filter: Filter, signal: AbortSignal): Promise<readonly unknown[]> => {
    const changes = await changesOf(filter, signal)
    if (changes === null) {
      remove(id)
      throw filterNotFound()
    }
    const before = [...filter.cursor.unsure, filter.cursor.sent].slice(-MAX_UNSURE)
    // A partial response may not reach a position that the reader already had; that position remains possible.
    const further = before.filter(({ number, hash }) => number > changes.place.number && chain.canonicalHash(number) === hash)
    filter.cursor = { sent: changes.place, unsure: further }
    if (filter.what.kind === 'transactions' || !filters.has(id)) return changes.items
    // A new poll in the same run proves that the previous response was read.
    if (changes.items.length > 0) await save(id, filter, before)
    else if (filter.saved.unsure.length > 0 || changes.place.number - filter.saved.sent.number >= SAVE_EVERY_BLOCKS)
      await save(id, filter, further)
    return changes.items
  }

  const stopPending = deps.pool.onExecutable((pooled) => {
    for (const [id, filter] of filters) {
      if (filter.what.kind !== 'transactions') continue
      const { full } = filter.what
      if (filter.waiting.length >= (full ? MAX_WAITING_TRANSACTIONS : MAX_WAITING_HASHES)) remove(id)
      else filter.waiting.push(full ? pendingTransactionToJson(pooled.tx, pooled.sender) : pooled.hash)
    }
  })

  return {
    methods: {
      eth_newFilter: (params, context) =>
        open({ kind: 'logs', query: argument(params, 0, (value) => parseLogQuery(value, options)) }, context),
      eth_newBlockFilter: (_params, context) => open({ kind: 'blocks' }, context),
      eth_newPendingTransactionFilter: (params, context) =>
        open({ kind: 'transactions', full: optionalArgument(params, 0, false, parseBoolean) }, context),
      eth_getFilterChanges(params, { signal }) {
        const id = argument(params, 0, parseText)
        const filter = get(id)
        return filter.polls.run(() => poll(id, filter, signal))
      },
      eth_getFilterLogs(params, context) {
        const { what } = get(argument(params, 0, parseText))
        if (what.kind !== 'logs') throw filterNotFound()
        return getLogs([logQueryToJson(what.query)], context)
      },
      eth_uninstallFilter(params) {
        sweep()
        return remove(argument(params, 0, parseText))
      },
    },
    count: () => filters.size,
    async stop() {
      stopPending()
      // An orderly stop has delivered every response, so nothing is repeated.
      for (const [id, filter] of filters) {
        const { sent, unsure } = filter.cursor
        if (unsure.length === 0 && (filter.saved.unsure.length > 0 || filter.saved.sent.hash !== sent.hash)) void save(id, filter, [])
      }
      await journal.flush()
      filters.clear()
    },
  }
}
