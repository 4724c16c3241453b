/**
 * Distributes market data to sessions: limited subscriptions, one upstream stream for all, and a ring of the newest events
 * of a session that readers follow by id. A slow reader loses events and receives their number.
 */
import { bytesToHex, type Clock, type Logger, type Random } from '@keelson/primitives'
import type { MarketData, SubscribeRequest, SubscribeResponse, UnsubscribeResponse } from '../../schemas/exchange.ts'
import { problem, succeeded, type ToolOutcome } from '../tool-outcome.ts'
import { type MarketFeed, type StreamKey, streamName } from './market-feed.ts'

export type MarketEvent = { readonly id: string } & (
  | { readonly event: 'data'; readonly stream: string; readonly data: MarketData }
  | { readonly event: 'status'; readonly state: 'down' | 'up'; readonly why: string }
  /** Lost events; null when their number is unknown. */
  | { readonly event: 'gap'; readonly lost: number | null }
)

export interface MarketSubscriptionOptions {
  readonly maxSessions?: number
  readonly maxSubscriptions?: number
  /** Per session. */
  readonly maxReaders?: number
  /** Different streams of all sessions. */
  readonly maxStreams?: number
  /** Events kept for each session. */
  readonly keptEvents?: number
  /** A session without readers and requests is dropped after this time. */
  readonly idleMs?: number
}

export interface MarketSubscriptions {
  /** Throws SourceError. */
  subscribe(session: string, request: SubscribeRequest): Promise<ToolOutcome<SubscribeResponse>>
  unsubscribe(session: string, subscriptionId: string): ToolOutcome<UnsubscribeResponse>
  /** Ends the subscriptions and readers of a deleted session. */
  drop(session: string): void
  /**
   * Events after `lastEventId`, or from now on, until the signal aborts or the session is dropped. Null without
   * subscriptions; `limit` with too many readers.
   */
  read(
    session: string,
    options: { readonly lastEventId?: string; readonly signal: AbortSignal },
  ): AsyncIterable<MarketEvent> | null | 'limit'
  /** Drops idle sessions. Call it every few seconds. */
  sweep(): void
  readonly streams: readonly string[]
  stop(): void
}

const DEFAULTS: Required<MarketSubscriptionOptions> = {
  maxSessions: 2_000,
  maxSubscriptions: 10,
  maxReaders: 3,
  maxStreams: 200,
  keptEvents: 500,
  idleMs: 300_000,
}
const ID_BYTES = 12

type EventBody = MarketEvent extends infer E ? (E extends { readonly id: string } ? Omit<E, 'id'> : never) : never

interface Session {
  readonly subscriptions: Map<string, readonly StreamKey[]>
  readonly events: { readonly sequence: number; readonly body: EventBody }[]
  /** Sequence number of the next event. */
  next: number
  readonly readers: Set<() => void>
  pending: number
  activeAtMs: number
  ended: boolean
}

export function createMarketSubscriptions(
  options: MarketSubscriptionOptions,
  { feed, clock, random, log }: { readonly feed: MarketFeed; readonly clock: Clock; readonly random: Random; readonly log: Logger },
): MarketSubscriptions {
  const limits = { ...DEFAULTS, ...options }
  const sessions = new Map<string, Session>()
  /** Upstream streams and their sessions. */
  const wanted = new Map<string, { readonly key: StreamKey; readonly by: Set<Session> }>()
  // event ids of another process are invalid here
  const run = bytesToHex(random.bytes(4)).slice(2)

  feed.connect({
    data(stream, data) {
      for (const session of wanted.get(stream)?.by ?? []) push(session, { event: 'data', stream, data })
    },
    status(state, why) {
      log.info('market data', { source: feed.label, state, why })
      for (const session of new Set([...wanted.values()].flatMap(({ by }) => [...by]))) push(session, { event: 'status', state, why })
    },
  })

  function push(session: Session, body: EventBody): void {
    session.events.push({ sequence: session.next++, body })
    if (session.events.length > limits.keptEvents) session.events.shift()
    wake(session)
  }
  function wake(session: Session): void {
    for (const reader of session.readers) reader()
  }
  function release(session: Session, keys: readonly StreamKey[]): void {
    const still = new Set([...session.subscriptions.values()].flat().map(streamName))
    for (const key of keys) {
      const name = streamName(key)
      const stream = wanted.get(name)
      if (stream === undefined || still.has(name)) continue
      stream.by.delete(session)
      if (stream.by.size > 0) continue
      wanted.delete(name)
      feed.close(key)
    }
  }
  function drop(id: string): void {
    const session = sessions.get(id)
    if (session === undefined) return
    sessions.delete(id)
    const keys = [...session.subscriptions.values()].flat()
    session.subscriptions.clear()
    session.ended = true
    release(session, keys)
    wake(session)
  }

  function sessionOf(id: string): Session {
    const found = sessions.get(id)
    if (found !== undefined) return found
    const session = {
      subscriptions: new Map(),
      events: [],
      next: 1,
      readers: new Set<() => void>(),
      pending: 0,
      activeAtMs: 0,
      ended: false,
    }
    sessions.set(id, session)
    return session
  }

  async function subscribe(id: string, request: SubscribeRequest): Promise<ToolOutcome<SubscribeResponse>> {
    const keys = keysOf(request)
    if (!sessions.has(id) && sessions.size >= limits.maxSessions) return problem('limit', 'too many sessions have streams: try again later')
    const session = sessionOf(id)
    session.activeAtMs = clock.nowMs()
    if (session.subscriptions.size + session.pending >= limits.maxSubscriptions) {
      return problem('limit', `expected at most ${limits.maxSubscriptions} subscriptions in a session: end one first`)
    }
    // counted before the source responds, so that concurrent requests share the limit
    session.pending++
    try {
      for (const key of keys) {
        const checked = await feed.check(key)
        if (!checked.ok) return checked
      }
    } finally {
      session.pending--
    }
    if (session.ended) return problem('not-found', 'the session ended meanwhile')
    const fresh = keys.filter((key) => !wanted.has(streamName(key)))
    if (wanted.size + fresh.length > limits.maxStreams)
      return problem('limit', `expected at most ${limits.maxStreams} different streams in all`)
    const subscriptionId = bytesToHex(random.bytes(ID_BYTES)).slice(2)
    session.subscriptions.set(subscriptionId, keys)
    for (const key of keys) {
      const name = streamName(key)
      const stream = wanted.get(name) ?? { key, by: new Set<Session>() }
      stream.by.add(session)
      wanted.set(name, stream)
      feed.open(key)
    }
    return succeeded({ subscription_id: subscriptionId, status: 'subscribed', streams: keys.map(streamName) })
  }

  function* since(session: Session, sequence: number): Generator<MarketEvent, void> {
    const oldest = session.next - session.events.length
    if (sequence < oldest) yield { id: `${run}-${oldest - 1}`, event: 'gap', lost: oldest - sequence }
    for (const { sequence: at, body } of session.events.slice(Math.max(0, sequence - oldest)))
      yield { id: `${run}-${at}`, ...body } as MarketEvent
  }

  async function* follow(session: Session, lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<MarketEvent, void> {
    let rouse: () => void = () => undefined
    const reader = () => rouse()
    session.readers.add(reader)
    signal.addEventListener('abort', reader, { once: true })
    try {
      let at = session.next
      if (lastEventId !== undefined) {
        const place = placeOf(lastEventId, run, session.next)
        at = place ?? session.next - session.events.length
        if (place === null) yield { id: `${run}-${at - 1}`, event: 'gap', lost: null }
      }
      while (!signal.aborted && !session.ended) {
        if (at === session.next) {
          await new Promise<void>((resolve) => {
            rouse = resolve
          })
          continue
        }
        const events = [...since(session, at)]
        at = session.next
        for (const event of events) {
          if (signal.aborted) return
          yield event
        }
      }
    } finally {
      session.readers.delete(reader)
      signal.removeEventListener('abort', reader)
      session.activeAtMs = clock.nowMs()
    }
  }

  return {
    subscribe,
    unsubscribe(id, subscriptionId) {
      const session = sessions.get(id)
      const keys = session?.subscriptions.get(subscriptionId)
      if (session === undefined || keys === undefined) return problem('not-found', `this session has no subscription ${subscriptionId}`)
      session.activeAtMs = clock.nowMs()
      session.subscriptions.delete(subscriptionId)
      release(session, keys)
      return succeeded({ subscription_id: subscriptionId, status: 'unsubscribed' })
    },
    drop,
    read(id, { lastEventId, signal }) {
      const session = sessions.get(id)
      if (session === undefined) return null
      return session.readers.size >= limits.maxReaders ? 'limit' : follow(session, lastEventId, signal)
    },
    sweep() {
      const before = clock.nowMs() - limits.idleMs
      for (const [id, session] of sessions) {
        if (session.readers.size === 0 && session.pending === 0 && session.activeAtMs <= before) drop(id)
      }
    },
    get streams() {
      return [...wanted.keys()]
    },
    stop() {
      for (const id of [...sessions.keys()]) drop(id)
      feed.stop()
    },
  }
}

function keysOf({ symbol, streams, interval }: SubscribeRequest): readonly StreamKey[] {
  const name = symbol.toUpperCase()
  return [...new Set(streams)].map((kind) => ({ symbol: name, kind, interval: kind === 'kline' ? (interval ?? '1m') : null }))
}

/** The sequence number after an event; null for an id of another process or from the future. */
function placeOf(id: string, run: string, next: number): number | null {
  const [, ofRun, digits] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id) ?? []
  const place = Number(digits) + 1
  return ofRun === run && place <= next ? place : null
}
