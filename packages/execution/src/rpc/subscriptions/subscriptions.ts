/** eth_subscribe over WebSocket: heads in order, logs, pending transactions. A connection that cannot keep up loses its subscription. */
import { nextTurn, RawJson, type RpcContext, type RpcMethods } from '@keelson/runtime'
import type { PooledTransaction } from '../../txpool/pool-types.ts'
import { pendingTransactionToJson } from '../block-json.ts'
import { rpcError, serverError } from '../errors.ts'
import { syncing } from '../eth/chain-methods.ts'
import { type LogCriteria, parseLogCriteria, termCount } from '../eth/log-query.ts'
import { createClientQuota, limitedClient } from '../limits/client-quota.ts'
import { argument, optionalArgument, parseBoolean, parseText, required } from '../params.ts'
import { type RpcDependencies, randomId } from '../rpc-dependencies.ts'
import { createMoveAnnouncer, type MoveSubscription } from './move-announcer.ts'
import { createPushBudget } from './push-budget.ts'

type Kind =
  | { readonly kind: 'newHeads' }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria }
  | { readonly kind: 'pending'; readonly full: boolean }
  | { readonly kind: 'syncing' }

interface Subscription extends MoveSubscription {
  readonly what: Kind
  /** Only the connection that created it may end it. */
  readonly connection: object
  end(): void
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
  const places = createClientQuota({ perClient: options.maxSubscriptionsPerClient, total: options.maxSubscriptions })
  const terms = createClientQuota({ perClient: options.maxSubscriptionTermsPerClient, total: options.maxSubscriptionTerms })
  const pushes = createPushBudget(deps.clock)
  const announcer = createMoveAnnouncer(chain)
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
    const own = ownOf(connection, context)
    if (own.size >= options.maxSubscriptionsPerConnection) {
      throw serverError(`too many subscriptions: at most ${options.maxSubscriptionsPerConnection} on one connection`)
    }
    const client = limitedClient(context)
    const release = takePlaces(client, what)
    const account = pushes.of(context)
    const id = randomId(deps.random)
    // Queue notifications until the caller has received the id.
    let waiting: string[] | null = []
    const subscription: Subscription = {
      what,
      connection,
      push(text) {
        account.send(text.length)
        if (waiting !== null) waiting.push(text)
        else if (!notify('eth_subscription', new RawJson(`{"subscription":"${id}","result":${text}}`))) subscription.end()
        return active.has(id)
      },
      compared: () => account.compare(),
      settle() {
        if (account.settle()) return active.has(id)
        subscription.end()
        context.disconnect?.('these subscriptions cost more than the rate of this client allows: narrow their filters or use a key')
        return false
      },
      end() {
        if (!active.delete(id)) return
        own.delete(id)
        announcer.remove(subscription)
        release()
      },
    }
    nextTurn().then(() => {
      const first = waiting ?? []
      waiting = null
      for (const text of first) subscription.push(text)
    })
    active.set(id, subscription)
    own.add(id)
    if (what.kind === 'newHeads') announcer.addHeads(subscription)
    if (what.kind === 'logs') announcer.addLogs(subscription, what.criteria)
    return id
  }

  const ownOf = (connection: object, context: RpcContext): Set<string> => {
    const known = perConnection.get(connection)
    if (known !== undefined) return known
    const own = new Set<string>()
    perConnection.set(connection, own)
    context.onClose?.(() => {
      for (const id of [...own]) active.get(id)?.end()
    })
    return own
  }

  /** Takes quota and returns its release function. Throws when the client or the node exceeds its limit. */
  const takePlaces = (client: string | null, what: Kind): (() => void) => {
    const mine = places.take(client, 1)
    if (mine === 'client') throw serverError(`too many subscriptions: at most ${options.maxSubscriptionsPerClient} of one client`)
    if (mine === 'total') throw serverError('too many subscriptions on this node; try again later')
    const count = what.kind === 'logs' ? termCount(what.criteria) : 0
    const bound = terms.take(client, count)
    if (bound !== 'taken') {
      places.release(client, 1)
      const most = options.maxSubscriptionTermsPerClient
      throw serverError(
        bound === 'client'
          ? `too many addresses and topics: at most ${most} in all log subscriptions of one client`
          : 'too many addresses and topics are subscribed to on this node; try again later',
      )
    }
    return () => {
      places.release(client, 1)
      terms.release(client, count)
    }
  }

  let behind = syncing(deps) !== false

  /** Returns a changed eth_syncing result: the status when the node falls behind, false when it has caught up. */
  const syncChange = (): unknown => {
    const status = syncing(deps)
    if ((status !== false) === behind) return undefined
    behind = status !== false
    return status === false ? false : { syncing: true, status }
  }
  const pushTo = (kind: Kind['kind'], textFor: (what: Kind) => string): void => {
    for (const subscription of [...active.values()]) {
      if (subscription.what.kind !== kind) continue
      subscription.push(textFor(subscription.what))
      subscription.settle()
    }
  }
  const stopMoves = deps.onMove((move) => {
    const sync = syncChange()
    if (sync !== undefined) pushTo('syncing', () => JSON.stringify(sync))
    announcer.announce(move)
  })
  const stopPending = deps.pool.onExecutable((pooled: PooledTransaction) => {
    let whole: string | null = null
    const hash = JSON.stringify(pooled.hash)
    pushTo('pending', (what) => {
      if (what.kind !== 'pending' || !what.full) return hash
      whole ??= JSON.stringify(pendingTransactionToJson(pooled.tx, pooled.sender))
      return whole
    })
  })

  return {
    methods: {
      eth_subscribe: subscribe,
      eth_unsubscribe(params, context) {
        const id = argument(params, 0, parseText)
        const found = active.get(id)
        if (found === undefined || found.connection !== context.connection) throw rpcError('subscriptionNotFound')
        found.end()
        return true
      },
    },
    count: () => active.size,
    stop() {
      stopMoves()
      stopPending()
      for (const subscription of [...active.values()]) subscription.end()
    },
  }
}
