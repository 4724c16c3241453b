/**
 * The transport of the protocol's first version (2024-11-05): one stream of events that begins with the address to post
 * to, and carries all answers. A message that names no stream is answered in the body.
 */
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { McpAnswer, McpEvents, McpMessage, McpSessionQuery } from '../schemas/mcp.ts'
import { answerOnce } from './answer-once.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import type { McpSession } from './mcp-sessions.ts'
import { checkCalls, checkRequest, noSuchSession } from './request-rules.ts'
import { MCP_ROUTE, type McpRouteDependencies, readerCheck, sendAccepted, sendEventHeaders } from './route-parts.ts'

const MESSAGES_PATH = '/mcp/messages'

export function createLegacyRoutes({ sessions, connect, rules, limits, isTokenGood, clock }: McpRouteDependencies): readonly AnyRoute[] {
  const streams = new WeakMap<McpSession, EventStream>()
  return [
    defineRoute({
      ...MCP_ROUTE,
      method: 'GET',
      path: '/mcp/sse',
      summary: 'Opens a session of the tool protocol: the event endpoint says where to post messages, message events are the answers',
      answer: McpEvents,
      answerType: 'text/event-stream',
      refusals: [400, 403],
      async handle({ caller, subscriber, request, reply, signal }) {
        checkRequest(request, rules)
        if (request.method === 'HEAD') return sendEventHeaders(reply)
        const session = await sessions.open('events', { caller, subscriber, stopping: signal })
        const stream = openEventStream(reply, {
          over: AbortSignal.any([session.over, signal]),
          isGood: readerCheck(request, isTokenGood),
          behindBytes: limits.behindBytes,
          clock,
        })
        streams.set(session, stream)
        stream.send({ event: 'endpoint', data: `${MESSAGES_PATH}?sessionId=${session.id}` })
        await stream.closed
        sessions.end(session)
        return undefined as never
      },
    }),
    defineRoute({
      ...MCP_ROUTE,
      method: 'POST',
      path: MESSAGES_PATH,
      summary: 'A message of the tool protocol: answered in the body, or with a session of /mcp/sse on its stream',
      query: McpSessionQuery,
      body: McpMessage,
      bodyBytes: limits.messageBytes,
      answer: McpAnswer,
      accepted: 'Taken; the answer, if any, is on the stream of the session',
      refusals: [400, 403, 404],
      async handle({ caller, subscriber, body, query, request, reply, signal }) {
        checkRequest(request, rules)
        if (query.sessionId === undefined) {
          const [answer] = await answerOnce([body], { caller, subscriber, stopping: signal }, connect)
          return answer ?? sendAccepted(reply)
        }
        const session = sessions.find('events', query.sessionId, caller)
        if (session === null) throw noSuchSession()
        checkCalls(session, body.id === undefined ? 0 : 1, limits.callsOfSession)
        void session.connection
          .receive(body)
          ?.then((answer) => streams.get(session)?.send({ event: 'message', data: JSON.stringify(answer) }))
        return sendAccepted(reply)
      },
    }),
  ]
}
