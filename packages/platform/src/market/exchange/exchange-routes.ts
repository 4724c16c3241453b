import type { Clock } from '@keelson/primitives'
import { z } from 'zod'
import { ApiError } from '../../http/api-error.ts'
import { sendEventStream } from '../../http/event-stream.ts'
import { RATE_LIMITS } from '../../http/rate-limits.ts'
import { type AnyRoute, defineRoute } from '../../http/route.ts'
import { MarketStreamEvent, SubscribeRequest, SubscribeResponse, UnsubscribeRequest, UnsubscribeResponse } from '../../schemas/exchange.ts'
import { describeTool, ToolList } from '../../schemas/tool-list.ts'
import { answerTool } from '../tool-answer.ts'
import { problem } from '../tool-outcome.ts'
import type { MarketEvent } from './session-events.ts'
import type { MarketSubscriptions } from './subscriptions.ts'

export interface ExchangeRouteDependencies {
  readonly subscriptions: MarketSubscriptions | null
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

const BASE = '/api/v1/multi-agent/exchange'
const NO_MARKET_DATA = problem(
  'not-configured',
  'no source of market data is configured: the operator names an exchange by --exchange.url, or a chain with one',
)

const EXCHANGE_TOOLS: ToolList = {
  tools: [
    describeTool('exchange_subscribe', 'Subscribes this session to trades and candles of a symbol.', SubscribeRequest),
    describeTool('exchange_unsubscribe', 'Ends a subscription of this session.', UnsubscribeRequest),
  ],
}

const StreamQuery = z.object({
  last_event_id: z.string().max(64).optional().describe('Resumes after this event; the header Last-Event-ID takes precedence'),
})
export function createExchangeRoutes({ subscriptions, isTokenGood, clock }: ExchangeRouteDependencies): readonly AnyRoute[] {
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
      handle: ({ body, caller }) =>
        answerTool(() => (subscriptions === null ? NO_MARKET_DATA : subscriptions.subscribe(caller.sessionId, body))),
    }),
    defineRoute({
      ...base,
      method: 'POST',
      path: `${BASE}/unsubscribe`,
      summary: 'Ends a subscription of this session',
      body: UnsubscribeRequest,
      answer: UnsubscribeResponse,
      refusals: [404],
      handle: ({ body, caller }) =>
        answerTool(() => (subscriptions === null ? NO_MARKET_DATA : subscriptions.unsubscribe(caller.sessionId, body.subscription_id))),
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
        if (subscriptions === null) return answerTool(() => NO_MARKET_DATA)
        const header = request.headers['last-event-id']
        const lastEventId = typeof header === 'string' ? header : query.last_event_id
        const leaving = new AbortController()
        const events = subscriptions.read(caller.sessionId, {
          signal: AbortSignal.any([signal, leaving.signal]),
          lastEventId,
        })
        if (events === null) throw new ApiError(404, 'This session has no subscriptions at this server: subscribe first')
        if (events === 'limit')
          throw new ApiError(429, 'Rate limit exceeded: this session reads as many streams as it may', { headers: { 'retry-after': '30' } })
        const isGood = () => isTokenGood(request.headers.authorization)
        await sendEventStream(reply, eventTexts(events), { leaving, stopping: signal, isGood, clock, bodyless: request.method === 'HEAD' })
        return undefined as never
      },
    }),
  ]
}

async function* eventTexts(events: AsyncIterable<MarketEvent>): AsyncGenerator<string> {
  for await (const { id, event, ...data } of events) yield `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
