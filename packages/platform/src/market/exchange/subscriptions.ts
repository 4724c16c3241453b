import { bytesToHex, type Clock, type Logger, type Random } from '@keelson/primitives'
import type { SubscribeRequest, SubscribeResponse, UnsubscribeResponse } from '../../schemas/exchange.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { type MarketFeed, type StreamKey, streamName } from './market-feed.ts'
import { type MarketEvent, SessionEvents } from './session-events.ts'

const DEFAULTS = {
  maxSessions: 2_000,
  maxSubscriptions: 10,
  maxReaders: 3,
  maxStreams: 200,
  keptEvents: 500,
  /** A session without readers or requests for this long is dropped. */
  idleMs: 300_000,
}
export type MarketLimits = typeof DEFAULTS

export interface SubscriptionDependencies {
  readonly feed: MarketFeed
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const RUN_BYTES = 4
const ID_BYTES = 12

interface Session {
  readonly subscriptions: Map<string, readonly StreamKey[]>
  readonly events: SessionEvents
  pending: number
  activeAtMs: number
}

export class MarketSubscriptions {
  readonly #limits: MarketLimits
  readonly #deps: SubscriptionDependencies
  readonly #run: string
  readonly #sessions = new Map<string, Session>()
  readonly #wanted = new Map<string, { readonly key: StreamKey; readonly by: Set<Session> }>()

  constructor(limits: Partial<MarketLimits>, deps: SubscriptionDependencies) {
    this.#limits = { ...DEFAULTS, ...limits }
    this.#deps = deps
    this.#run = this.#newId(RUN_BYTES)
    deps.feed.connect({
      data: (stream, data) => {
        for (const { events } of this.#wanted.get(stream)?.by ?? []) events.push({ event: 'data', stream, data })
      },
      status: (state, why) => {
        deps.log.info('market data', { source: deps.feed.label, state, why })
        const sessions = new Set([...this.#wanted.values()].flatMap(({ by }) => [...by]))
        for (const { events } of sessions) events.push({ event: 'status', state, why })
      },
    })
  }

  get streams(): readonly string[] {
    return [...this.#wanted.keys()]
  }

  async subscribe(id: string, request: SubscribeRequest): Promise<ToolOutcome<SubscribeResponse>> {
    const { maxSessions, maxSubscriptions, maxStreams, keptEvents } = this.#limits
    const { feed, clock } = this.#deps
    const known = this.#sessions.get(id)
    if (known === undefined && this.#sessions.size >= maxSessions)
      return problem('limit', 'too many sessions have streams: try again later')
    const session = known ?? { subscriptions: new Map(), events: new SessionEvents(this.#run, keptEvents), pending: 0, activeAtMs: 0 }
    this.#sessions.set(id, session)
    session.activeAtMs = clock.nowMs()
    if (session.subscriptions.size + session.pending >= maxSubscriptions)
      return problem('limit', `expected at most ${maxSubscriptions} subscriptions in a session: end one first`)
    const keys = keysOf(request)
    // counted before awaiting, so that concurrent requests share the limit
    session.pending++
    try {
      for (const key of keys) {
        const checked = await feed.check(key)
        if (!checked.ok) return checked
      }
    } finally {
      session.pending--
    }
    if (session.events.ended) return problem('not-found', 'the session ended meanwhile')
    const fresh = keys.filter((key) => !this.#wanted.has(streamName(key)))
    if (this.#wanted.size + fresh.length > maxStreams) return problem('limit', `expected at most ${maxStreams} different streams in all`)
    const subscriptionId = this.#newId(ID_BYTES)
    session.subscriptions.set(subscriptionId, keys)
    for (const key of keys) {
      const stream = this.#wanted.get(streamName(key)) ?? { key, by: new Set<Session>() }
      this.#wanted.set(streamName(key), stream)
      stream.by.add(session)
      feed.open(key)
    }
    return succeeded({ subscription_id: subscriptionId, status: 'subscribed', streams: keys.map(streamName) })
  }

  unsubscribe(id: string, subscriptionId: string): ToolOutcome<UnsubscribeResponse> {
    const session = this.#sessions.get(id)
    const keys = session?.subscriptions.get(subscriptionId)
    if (session === undefined || keys === undefined) return problem('not-found', `this session has no subscription ${subscriptionId}`)
    session.activeAtMs = this.#deps.clock.nowMs()
    session.subscriptions.delete(subscriptionId)
    this.#release(session, keys)
    return succeeded({ subscription_id: subscriptionId, status: 'unsubscribed' })
  }

  /** Null if the session has no subscriptions; `limit` for too many readers. */
  read(id: string, { lastEventId, signal }: { readonly lastEventId?: string | undefined; readonly signal: AbortSignal }) {
    const session = this.#sessions.get(id)
    if (session === undefined) return null
    return session.events.readers >= this.#limits.maxReaders ? 'limit' : this.#follow(session, lastEventId, signal)
  }

  drop(id: string): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    this.#sessions.delete(id)
    const keys = [...session.subscriptions.values()].flat()
    session.subscriptions.clear()
    this.#release(session, keys)
    session.events.end()
  }

  sweep(): void {
    const before = this.#deps.clock.nowMs() - this.#limits.idleMs
    for (const [id, { events, pending, activeAtMs }] of this.#sessions)
      if (events.readers === 0 && pending === 0 && activeAtMs <= before) this.drop(id)
  }

  stop(): void {
    for (const id of [...this.#sessions.keys()]) this.drop(id)
    this.#deps.feed.stop()
  }

  async *#follow(session: Session, lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<MarketEvent, void> {
    try {
      yield* session.events.follow(lastEventId, signal)
    } finally {
      session.activeAtMs = this.#deps.clock.nowMs()
    }
  }

  #release(session: Session, keys: readonly StreamKey[]): void {
    const still = new Set([...session.subscriptions.values()].flat().map(streamName))
    for (const key of keys) {
      const name = streamName(key)
      const stream = this.#wanted.get(name)
      if (stream === undefined || still.has(name)) continue
      stream.by.delete(session)
      if (stream.by.size > 0) continue
      this.#wanted.delete(name)
      this.#deps.feed.close(key)
    }
  }

  #newId(bytes: number): string {
    return bytesToHex(this.#deps.random.bytes(bytes)).slice(2)
  }
}

function keysOf({ symbol, streams, interval }: SubscribeRequest): readonly StreamKey[] {
  const name = symbol.toUpperCase()
  return [...new Set(streams)].map((kind) => ({ symbol: name, kind, interval: kind === 'kline' ? (interval ?? '1m') : null }))
}
