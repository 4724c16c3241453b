/**
 * eth_subscribe over WebSocket: every new canonical head in order, logs (removed ones first on a
 * reorganisation), pending transactions. A connection that cannot keep up loses its subscription.
 */
import { nextTurn, type RpcContext, type RpcMethods } from '@keelson/runtime'
import type { ChainMove } from '../chain/chain-store.ts'
import type { PooledTransaction } from '../txpool/pool-types.ts'
import { pendingTransactionToJson, sealedHeaderToJson } from './block-json.ts'
import { rpcError, serverError } from './errors.ts'
import { syncing } from './eth-chain.ts'
import { type LogCriteria, logsOfBlock, parseLogCriteria } from './log-query.ts'
import { argument, optionalArgument, parseBoolean, parseText, required } from './params.ts'
import { type RpcDependencies, randomId } from './rpc-dependencies.ts'

type Kind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'pending'; readonly full: boolean }
  | { readonly kind: 'syncing' }

interface Subscription {
  readonly what: Kind
  /** Who may end it: the connection that began it. */
  readonly connection: object
  send(result: unknown): void
}

const ANY_LOG: LogCriteria = { addresses: [], topics: [] }

export interface Subscriptions {
  readonly methods: RpcMethods
  readonly count: () => number
  stop(): void
}

export function createSubscriptions(deps: RpcDependencies): Subscriptions {
  const { chain, options } = deps
  const active = new Map<string, Subscription>()
  const perConnection = new WeakMap<object, Set<string>>()

  const parseKind = (params: readonly unknown[]): Kind => {
    switch (required(params[0], 0)) {
      case 'newHeads':
        return { kind: 'newHeads' }
      case 'logs':
        return { kind: 'logs', criteria: optionalArgument(params, 1, ANY_LOG, (value) => parseLogCriteria(value, options)) }
      case 'newPendingTransactions':
        return { kind: 'pending', full: optionalArgument(params, 1, false, parseBoolean) }
      case 'syncing':
        return { kind: 'syncing' }
      default:
        throw rpcError('noSuchSubscription', ` "${argument(params, 0, parseText).slice(0, 64)}" subscription in eth namespace`)
    }
  }

  const subscribe = (params: readonly unknown[], context: RpcContext): string => {
    const { notify, connection } = context
    if (notify === undefined || connection === undefined) throw rpcError('noNotifications')
    const what = parseKind(params)
    let own = perConnection.get(connection)
    if (own === undefined) {
      const ids = new Set<string>()
      own = ids
      perConnection.set(connection, ids)
      context.onClose?.(() => {
        for (const id of ids) active.delete(id)
        ids.clear()
      })
    }
    if (own.size >= options.maxSubscriptionsPerConnection) {
      throw serverError(`too many subscriptions: at most ${options.maxSubscriptionsPerConnection} on one connection`)
    }
    if (active.size >= options.maxSubscriptions) throw serverError('too many subscriptions on this node; try again later')
    const id = randomId(deps.random)
    const ids = own
    const end = () => {
      active.delete(id)
      ids.delete(id)
    }
    // The caller learns the id before the first notification that carries it.
    let waiting: unknown[] | null = []
    const deliver = (result: unknown) => {
      if (!notify('eth_subscription', { subscription: id, result })) end()
    }
    nextTurn().then(() => {
      const first = waiting ?? []
      waiting = null
      for (const result of first) deliver(result)
    })
    active.set(id, { what, connection, send: (result) => (waiting === null ? deliver(result) : waiting.push(result)) })
    ids.add(id)
    return id
  }

  let behind = syncing(deps) !== false

  /** The answer of eth_syncing when it has changed: the status when it falls behind, false when it has caught up. */
  const syncChange = (): unknown => {
    const status = syncing(deps)
    if ((status !== false) === behind) return undefined
    behind = status !== false
    return status === false ? false : { syncing: true, status }
  }
  const announce = ({ what, send }: Subscription, move: ChainMove, sync: unknown): void => {
    if (what.kind === 'syncing' && sync !== undefined) send(sync)
    if (what.kind === 'newHeads') for (const block of move.added) send(sealedHeaderToJson(block))
    if (what.kind !== 'logs') return
    for (const block of move.removed) for (const log of logsOfBlock(chain, block, what.criteria, true)) send(log)
    for (const block of move.added) for (const log of logsOfBlock(chain, block, what.criteria, false)) send(log)
  }
  const stopMoves = deps.onMove((move) => {
    const sync = syncChange()
    for (const subscription of [...active.values()]) announce(subscription, move, sync)
  })
  const stopPending = deps.pool.onExecutable((pooled: PooledTransaction) => {
    for (const { what, send } of [...active.values()]) {
      if (what.kind === 'pending') send(what.full ? pendingTransactionToJson(pooled.tx, pooled.sender) : pooled.hash)
    }
  })

  return {
    methods: {
      eth_subscribe: subscribe,
      eth_unsubscribe(params, context) {
        const id = argument(params, 0, parseText)
        const found = active.get(id)
        if (found === undefined || found.connection !== context.connection) throw rpcError('subscriptionNotFound')
        active.delete(id)
        perConnection.get(found.connection)?.delete(id)
        return true
      },
    },
    count: () => active.size,
    stop() {
      stopMoves()
      stopPending()
      active.clear()
    },
  }
}
