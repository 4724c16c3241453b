/** /api/v1/multi-agent/exchange: subscriptions of a session, and the stream of server-sent events that delivers them. */
import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import { RATE_LIMITS } from '../../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../../http/route.ts'
import { MarketStreamEvent, SubscribeRequest, SubscribeResponse, UnsubscribeRequest, UnsubscribeResponse } from '../../schemas/exchange.ts'
import { ToolList } from '../../schemas/tool-list.ts'
import { answerTool } from '../tool-answer.ts'
import { problem } from '../tool-outcome.ts'
import { EXCHANGE_TOOLS } from './exchange-tools.ts'
import { sendMarketEvents } from './market-event-stream.ts'
import type { MarketHub } from './market-hub.ts'

export interface ExchangeRouteDependencies {
  /** Null when there is no source of market data. */
  readonly hub: MarketHub | null
  /** Whether the token that a request came with is still good. */
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

const BASE = '/api/v1/multi-agent/exchange'
const NO_HUB = problem(
  'not-configured',
  'no source of market data is configured: the operator names an exchange by --exchange.url, or a chain with one',
)

const StreamQuery = z.strictObject({
  last_event_id: z.string().max(64).optional().describe('Goes on after this event; the header Last-Event-ID counts before it'),
})
export function createExchangeRoutes({ hub, isTokenGood, clock }: ExchangeRouteDependencies): readonly AnyRoute[] {
  const base = { tag: 'exchange', auth: 'session', limit: RATE_LIMITS.write } as const
  return [
    defineRoute({
      ...base,
      method: 'GET',
      path: `${BASE}/tools`,
      summary: 'The market-data tools',
      limit: RATE_LIMITS.read,
      answer: ToolList,
      handle: () => EXCHANGE_TOOLS,
    }),
    defineRoute({
      ...base,
      method: 'POST',
      path: `${BASE}/subscribe`,
      summary: 'Subscribes this session to trades and candles of a symbol',
      body: SubscribeRequest,
      answer: SubscribeResponse,
      refusals: [400, 404],
      handle: ({ body, caller }) => answerTool(() => (hub === null ? NO_HUB : hub.subscribe(caller.sessionId, body))),
    }),
    defineRoute({
      ...base,
      method: 'POST',
      path: `${BASE}/unsubscribe`,
      summary: 'Ends a subscription of this session',
      body: UnsubscribeRequest,
      answer: UnsubscribeResponse,
      refusals: [404],
      handle: ({ body, caller }) => answerTool(() => (hub === null ? NO_HUB : hub.unsubscribe(caller.sessionId, body.subscription_id))),
    }),
    defineRoute({
      ...base,
      method: 'GET',
      path: `${BASE}/stream`,
      summary: "The data of this session's subscriptions as server-sent events",
      timeout: 'stream',
      query: StreamQuery,
      answer: MarketStreamEvent,
      answerType: 'text/event-stream',
      refusals: [404],
      async handle({ caller, query, request, reply, signal }) {
        if (hub === null) return answerTool(() => NO_HUB)
        const header = request.headers['last-event-id']
        const lastEventId = typeof header === 'string' ? header : query.last_event_id
        const leaving = new AbortController()
        const events = hub.read(caller.sessionId, {
          signal: AbortSignal.any([signal, leaving.signal]),
          ...(lastEventId === undefined ? {} : { lastEventId }),
        })
        if (events === null) throw new ApiError(404, 'This session has no subscriptions: subscribe first')
        if (events === 'limit')
          throw new ApiError(429, 'Rate limit exceeded: this session reads as many streams as it may', { headers: { 'retry-after': '30' } })
        const isGood = () => isTokenGood(request.headers.authorization)
        await sendMarketEvents(reply, events, { leaving, stopping: signal, isGood, clock, bodyless: request.method === 'HEAD' })
        return undefined as never
      },
    }),
  ]
}
