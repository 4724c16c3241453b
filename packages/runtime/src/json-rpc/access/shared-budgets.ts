/**
 * Budgets that several nodes share. Each node decides by its own buckets, so that no call waits for another machine, and tells the
 * others ten times a second what was used. A client that spreads its calls over N nodes gets at most N bursts between two
 * exchanges; they are then a debt, so that its rate holds over time.
 */
import { type Clock, type Logger, messageOf } from '@keelson/primitives'
import { createPoller } from '../../async/poll-loop.ts'
import type { Metrics } from '../../metrics.ts'
import type { Service } from '../../service.ts'
import type { TokenBucketOptions } from '../../token-bucket.ts'
import { type ClientBudgets, createClientBudgets } from './client-budgets.ts'

export interface BucketUse {
  readonly name: string
  readonly rate: TokenBucketOptions
  /** Negative when more was refunded than taken. */
  readonly tokens: number
  readonly sinceMs: number
}

export interface SharedBuckets {
  /** Takes the uses on credit, down to the debt limit, and returns what is left of each bucket. Rejects when there is no answer in time. */
  settle(uses: readonly BucketUse[], nowMs: number): Promise<readonly number[]>
  close(): Promise<void>
}

export type BudgetsFactory = (kind: string, maxClients: number) => ClientBudgets

export interface SharedBudgets extends Service {
  readonly open: BudgetsFactory
  exchange(): Promise<void>
}

export interface SharedBudgetsDependencies {
  readonly buckets: SharedBuckets
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

interface PendingUse {
  readonly name: string
  readonly client: string
  readonly local: ClientBudgets
  readonly sinceMs: number
  rate: TokenBucketOptions
  tokens: number
}

const EXCHANGE_EVERY_MS = 100
const RETRY_MS = 1_000
/** Clients between two exchanges; those beyond are limited by this node alone. */
const MAX_PENDING = 10_000
const MOST_AT_ONCE = 500
const ROUNDING = 1e-3

export function createSharedBudgets({ buckets, clock, log, metrics }: SharedBudgetsDependencies): SharedBudgets {
  const pending = new Map<string, PendingUse>()
  let shared = true
  metrics.gauge('rpc_limits_shared', '1 while rate limits are shared with other nodes, 0 while this node counts alone', [], () =>
    shared ? 1 : 0,
  )

  const settle = async (uses: readonly PendingUse[]) => {
    const before = uses.map(({ local, client, rate }) => local.left(client, rate))
    const left = await buckets.settle(uses, clock.nowMs())
    for (const [i, { local, client, rate }] of uses.entries()) {
      const usedByOthers = (before[i] as number) - (left[i] as number)
      if (usedByOthers > ROUNDING) local.charge(client, rate, usedByOthers)
    }
  }
  const exchange = async () => {
    const uses = [...pending.values()]
    pending.clear()
    // Also without uses, to see whether the store answers.
    for (let i = 0; i === 0 || i < uses.length; i += MOST_AT_ONCE) await settle(uses.slice(i, i + MOST_AT_ONCE))
    if (!shared) log.info('rate limits are shared with the other nodes again')
    shared = true
  }
  const onError = (error: unknown) => {
    if (shared) log.warn('rate limits are not shared: each node limits its callers by itself', { reason: messageOf(error) })
    shared = false
    return RETRY_MS
  }

  const poller = createPoller(exchange, { clock, intervalMs: EXCHANGE_EVERY_MS, waitFirst: true, onError })

  return {
    name: 'shared rate limits',
    open(kind, maxClients) {
      const local = createClientBudgets(clock, maxClients)
      const note = (client: string, rate: TokenBucketOptions, tokens: number) => {
        const name = `${kind}:${client}`
        const known = pending.get(name)
        if (known !== undefined) {
          known.tokens += tokens
          known.rate = rate
        } else if (pending.size < MAX_PENDING) pending.set(name, { name, client, local, sinceMs: clock.nowMs(), rate, tokens })
      }
      return {
        take(client, rate, calls) {
          const waitMs = local.take(client, rate, calls)
          if (waitMs === 0 && calls > 0) note(client, rate, calls)
          return waitMs
        },
        charge(client, rate, tokens) {
          local.charge(client, rate, tokens)
          note(client, rate, tokens)
        },
        left: (client, rate) => local.left(client, rate),
        get size() {
          return local.size
        },
      }
    },
    exchange,
    async start() {
      poller.start()
    },
    async stop() {
      await buckets.close()
      await poller.stop()
    },
  }
}
