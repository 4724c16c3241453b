/**
 * Filters that clients poll: logs, block hashes, pending transactions. Each lives as long as it is
 * polled; one that is full or forgotten is gone, and the client is told `filter not found`, which
 * libraries answer by making a new one.
 */
import type { Hash } from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { filterNotFound, serverError } from './errors.ts'
import { type LogQuery, logsOfBlock, parseLogQuery, queryLogs } from './log-query.ts'
import { argument, required } from './params.ts'
import { type RpcDependencies, randomId } from './rpc-dependencies.ts'

type Filter = {
  expiresAtMs: number
  changes: unknown[]
} & ({ readonly kind: 'logs'; readonly query: LogQuery } | { readonly kind: 'blocks' } | { readonly kind: 'transactions' })

/** Above this a filter is dropped: nobody is reading it. */
const MAX_WAITING_CHANGES = 20_000

export interface Filters {
  readonly methods: RpcMethods
  readonly count: () => number
  stop(): void
}

export function createFilters(deps: RpcDependencies): Filters {
  const { chain, options, clock } = deps
  const filters = new Map<string, Filter>()

  const sweep = (): void => {
    const nowMs = clock.nowMs()
    for (const [id, filter] of filters) if (filter.expiresAtMs <= nowMs) filters.delete(id)
  }
  const open = (filter: Filter): string => {
    sweep()
    if (filters.size >= options.maxFilters)
      throw serverError(`too many filters: at most ${options.maxFilters}; uninstall some or subscribe over WebSocket`)
    const id = randomId(deps.random)
    filters.set(id, filter)
    return id
  }
  const fresh = () => ({ expiresAtMs: clock.nowMs() + options.filterLifetimeMs, changes: [] as unknown[] })
  const get = (params: readonly unknown[]): Filter => {
    sweep()
    const filter = filters.get(String(required(params[0], 0)))
    if (filter === undefined) throw filterNotFound()
    filter.expiresAtMs = clock.nowMs() + options.filterLifetimeMs
    return filter
  }
  const add = (id: string, filter: Filter, changes: readonly unknown[]): void => {
    if (filter.changes.length + changes.length > MAX_WAITING_CHANGES) filters.delete(id)
    else filter.changes.push(...changes)
  }

  const stopMoves = deps.onMove((move) => {
    sweep()
    for (const [id, filter] of filters) {
      if (filter.kind === 'blocks')
        add(
          id,
          filter,
          move.added.map((block): Hash => block.hash),
        )
      if (filter.kind !== 'logs') continue
      const { criteria } = filter.query
      for (const block of move.removed) add(id, filter, logsOfBlock(chain, block, criteria, true))
      for (const block of move.added) add(id, filter, logsOfBlock(chain, block, criteria, false))
    }
  })
  const stopPending = deps.pool.onExecutable((pooled) => {
    for (const [id, filter] of filters) if (filter.kind === 'transactions') add(id, filter, [pooled.hash])
  })

  return {
    methods: {
      eth_newFilter: (params) => open({ kind: 'logs', query: argument(params, 0, (value) => parseLogQuery(value, options)), ...fresh() }),
      eth_newBlockFilter: () => open({ kind: 'blocks', ...fresh() }),
      eth_newPendingTransactionFilter: () => open({ kind: 'transactions', ...fresh() }),
      eth_getFilterChanges(params) {
        const filter = get(params)
        const { changes } = filter
        filter.changes = []
        return changes
      },
      eth_getFilterLogs(params, context) {
        const filter = get(params)
        if (filter.kind !== 'logs') throw filterNotFound()
        return queryLogs(chain, filter.query, options, context.signal)
      },
      eth_uninstallFilter: (params) => filters.delete(String(required(params[0], 0))),
      eth_getLogs: (params, context) =>
        queryLogs(
          chain,
          argument(params, 0, (value) => parseLogQuery(value, options)),
          options,
          context.signal,
        ),
    },
    count: () => filters.size,
    stop() {
      stopMoves()
      stopPending()
      filters.clear()
    },
  }
}
