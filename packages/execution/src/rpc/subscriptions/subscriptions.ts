import type { RpcContext, RpcMethods } from '@keelson/runtime'
import type { ChainMove } from '../../chain/chain-store.ts'
import type { Unsubscribe } from '../../emitter.ts'
import type { PooledTransaction } from '../../txpool/pool-types.ts'
import { pendingTransactionToJson } from '../block-json.ts'
import { rpcError, serverError } from '../errors.ts'
import { termCount } from '../eth/log-query.ts'
import { limitedClient } from '../limits/client-quota.ts'
import { CriteriaQuota } from '../limits/criteria-quota.ts'
import { syncing } from '../node/sync-methods.ts'
import { argument, parseText } from '../params.ts'
import { type RpcDependencies, randomId } from '../rpc-dependencies.ts'
import { createMoveAnnouncer, type MoveAnnouncer } from './move-announcer.ts'
import { createPushBudget, type PushBudget } from './push-budget.ts'
import { Subscription } from './subscription.ts'
import { parseSubscriptionKind, type SubscriptionKind } from './subscription-kind.ts'

export class Subscriptions {
  readonly methods: RpcMethods
  readonly #deps: RpcDependencies
  readonly #quota: CriteriaQuota
  readonly #pushes: PushBudget
  readonly #announcer: MoveAnnouncer
  readonly #active = new Map<string, Subscription>()
  readonly #perConnection = new WeakMap<object, Set<string>>()
  readonly #unsubscribes: readonly Unsubscribe[]
  #behind: boolean

  constructor(deps: RpcDependencies) {
    const { options } = deps
    this.#deps = deps
    this.#quota = new CriteriaQuota(
      { perClient: options.maxSubscriptionsPerClient, total: options.maxSubscriptions },
      { perClient: options.maxSubscriptionTermsPerClient, total: options.maxSubscriptionTerms },
    )
    this.#pushes = createPushBudget(deps.clock)
    this.#announcer = createMoveAnnouncer(deps.chain)
    this.#behind = syncing(deps) !== false
    this.#unsubscribes = [
      deps.onMove((move) => this.#announce(move)),
      deps.pool.onExecutable((pooled: PooledTransaction) => this.#pushPending(pooled)),
    ]
    this.methods = {
      eth_subscribe: (params, context) => this.#subscribe(params, context),
      eth_unsubscribe: (params, context) => this.#unsubscribe(argument(params, 0, parseText), context),
    }
  }

  get count(): number {
    return this.#active.size
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe()
    for (const subscription of [...this.#active.values()]) subscription.end()
  }

  #subscribe(params: readonly unknown[], context: RpcContext): string {
    const { notify, connection } = context
    if (notify === undefined || connection === undefined) throw rpcError('noNotifications')
    const { options, random } = this.#deps
    const kind = parseSubscriptionKind(params, options)
    const own = this.#ownOf(connection, context)
    if (own.size >= options.maxSubscriptionsPerConnection) {
      throw serverError(`too many subscriptions: at most ${options.maxSubscriptionsPerConnection} on one connection`)
    }
    const release = this.#takePlaces(limitedClient(context), kind)
    const account = this.#pushes.of(context)
    const id = randomId(random)
    const subscription = new Subscription({ id, kind, connection }, context, account, (ended) => {
      this.#active.delete(id)
      own.delete(id)
      this.#announcer.remove(ended)
      release()
    })
    this.#active.set(id, subscription)
    own.add(id)
    if (kind.kind === 'newHeads') this.#announcer.addHeads(subscription)
    if (kind.kind === 'logs') this.#announcer.addLogs(subscription, kind.criteria)
    return id
  }

  #unsubscribe(id: string, { connection }: RpcContext): true {
    const found = this.#active.get(id)
    if (found === undefined || found.connection !== connection) throw rpcError('subscriptionNotFound')
    found.end()
    return true
  }

  #ownOf(connection: object, context: RpcContext): Set<string> {
    const known = this.#perConnection.get(connection)
    if (known !== undefined) return known
    const own = new Set<string>()
    this.#perConnection.set(connection, own)
    context.onClose?.(() => {
      for (const id of [...own]) this.#active.get(id)?.end()
    })
    return own
  }

  #takePlaces(client: string | null, kind: SubscriptionKind): () => void {
    const { options } = this.#deps
    const taken = this.#quota.take(client, kind.kind === 'logs' ? termCount(kind.criteria) : 0)
    if (typeof taken === 'function') return taken
    if (taken.exhausted === 'places') {
      const ofClient = `too many subscriptions: at most ${options.maxSubscriptionsPerClient} of one client`
      throw serverError(taken.by === 'client' ? ofClient : 'too many subscriptions on this node; try again later')
    }
    const most = options.maxSubscriptionTermsPerClient
    throw serverError(
      taken.by === 'client'
        ? `too many addresses and topics: at most ${most} in all log subscriptions of one client`
        : 'too many addresses and topics are subscribed to on this node; try again later',
    )
  }

  #announce(move: ChainMove): void {
    const change = this.#syncChange()
    if (change !== undefined) this.#pushTo('syncing', () => JSON.stringify(change))
    this.#announcer.announce(move)
  }

  #syncChange(): unknown {
    const status = syncing(this.#deps)
    if ((status !== false) === this.#behind) return undefined
    this.#behind = status !== false
    return status === false ? false : { syncing: true, status }
  }

  #pushPending(pooled: PooledTransaction): void {
    let whole: string | null = null
    const hash = JSON.stringify(pooled.hash)
    this.#pushTo('pending', (kind) => {
      if (kind.kind !== 'pending' || !kind.full) return hash
      whole ??= JSON.stringify(pendingTransactionToJson(pooled.tx, pooled.sender))
      return whole
    })
  }

  #pushTo(kind: SubscriptionKind['kind'], textFor: (kind: SubscriptionKind) => string): void {
    for (const subscription of [...this.#active.values()]) {
      if (subscription.kind.kind !== kind) continue
      subscription.push(textFor(subscription.kind))
      subscription.settle()
    }
  }
}
