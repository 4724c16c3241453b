/**
 * Streamable HTTP, all on /mcp: an answer comes in the body of its request, at once as JSON, or as events when it takes
 * longer, so that proxies see life and a client that lost the connection goes on after the last event it had.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-error.ts'
import { type AnyRoute, defineRoute, type SessionCaller } from '../http/route.ts'
import {
  type McpAnswer,
  McpAnswers,
  McpEnded,
  McpEvents,
  McpHeaders,
  McpListenHeaders,
  type McpMessage,
  McpMessages,
} from '../schemas/mcp.ts'
import { answerOnce } from './answer-once.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import type { McpSession } from './mcp-sessions.ts'
import { checkCalls, checkRequest, noSuchSession } from './request-rules.ts'
import { MCP_ROUTE, type McpRouteDependencies, readerCheck, sendAccepted, sendEventHeaders } from './route-parts.ts'

const PATH = '/mcp'
/** Answers within it are JSON where the client takes that. */
export const PROMPT_MS = 2_000
/** From this version on, clients take an event without a message. */
const FIRST_EVENT_VERSION = '2025-11-25'

type Reading = {
  readonly session: McpSession
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly stopping: AbortSignal
}

export function createStreamableRoutes({
  sessions,
  connect,
  rules,
  limits,
  isTokenGood,
  clock,
}: McpRouteDependencies): readonly AnyRoute[] {
  /** The stream that a session listens on without having asked something. */
  const listening = new WeakMap<McpSession, EventStream>()

  const openStream = ({ session, request, reply, stopping }: Reading): EventStream =>
    openEventStream(reply.header('mcp-session-id', session.id), {
      over: AbortSignal.any([session.over, stopping]),
      isGood: readerCheck(request, isTokenGood),
      behindBytes: limits.behindBytes,
      clock,
    })

  /** Null when there are not all answers yet after a moment. */
  async function promptly(answers: Promise<readonly McpAnswer[]>): Promise<readonly McpAnswer[] | null> {
    const timer = new AbortController()
    const late = clock.sleep(PROMPT_MS, timer.signal).then(
      () => null,
      () => null,
    )
    const first = await Promise.race([answers, late])
    timer.abort()
    return first
  }

  async function answerAsEvents(pending: readonly Promise<McpAnswer>[], reading: Reading): Promise<void> {
    const { session, request } = reading
    const stream = openStream(reading)
    const kept = session.answers.open()
    if (String(request.headers['mcp-protocol-version'] ?? '') >= FIRST_EVENT_VERSION) stream.send({ id: kept.firstId, data: '' })
    kept.attach(stream)
    void Promise.all(pending.map(async (answer) => kept.add(await answer))).then(() => kept.finish())
    await stream.closed
  }

  return [
    defineRoute({
      ...MCP_ROUTE,
      method: 'POST',
      path: PATH,
      summary: 'Messages of the tool protocol (Streamable HTTP): initialize opens a session, without one each request stands alone',
      headers: McpHeaders,
      body: McpMessages,
      bodyBytes: limits.messageBytes,
      answer: McpAnswers,
      accepted: 'Taken: nothing in it asks for an answer',
      refusals: [400, 403, 404],
      async handle({ caller, subscriber, body, headers, request, reply, signal, charge }) {
        checkRequest(request, rules)
        const messages: readonly McpMessage[] = Array.isArray(body) ? body : [body]
        if (messages.length > 1) await charge(messages.length - 1)
        const shown = (answers: readonly McpAnswer[]) => (Array.isArray(body) ? [...answers] : (answers[0] as McpAnswer))
        const user = { caller, subscriber, stopping: signal }
        const opens = messages.some(({ method, id }) => method === 'initialize' && id !== undefined)
        const named = headers['mcp-session-id']
        if (opens && (named !== undefined || messages.length > 1))
          throw new ApiError(400, 'initialize opens a session: it comes alone, and without one')
        if (!opens && named === undefined) {
          const answers = await answerOnce(messages, user, connect)
          return answers.length === 0 ? sendAccepted(reply) : shown(answers)
        }
        const session = opens ? await sessions.open('streamable', user) : sessions.find('streamable', named ?? '', caller)
        if (session === null) throw noSuchSession()
        const { connection } = session
        checkCalls(session, messages.filter(({ id }) => id !== undefined).length, limits.callsOfSession)
        const pending = messages.flatMap((message) => connection.receive(message) ?? [])
        if (pending.length === 0) return sendAccepted(reply)
        const whole = Promise.all(pending)
        const wasRefused = async () => opens && (await whole)[0]?.error !== undefined
        const { json, events } = acceptedTypes(request)
        const answers = events ? (json ? await promptly(whole) : null) : await whole
        if (answers === null) {
          await answerAsEvents(pending, { session, request, reply, stopping: signal })
          if (await wasRefused()) sessions.end(session)
          return undefined as never
        }
        // an initialize that was refused opens no session
        if (await wasRefused()) sessions.end(session)
        else reply.header('mcp-session-id', session.id)
        return shown(answers)
      },
    }),
    defineRoute({
      ...MCP_ROUTE,
      method: 'GET',
      path: PATH,
      summary: 'Listens to a session (Mcp-Session-Id); with Last-Event-ID the answers that came after that event',
      headers: McpListenHeaders,
      answer: McpEvents,
      answerType: 'text/event-stream',
      refusals: [400, 403, 404],
      async handle({ caller, headers, request, reply, signal }) {
        const session = sessionOf(request, headers['mcp-session-id'], caller)
        const lastEventId = headers['last-event-id']
        const attach = lastEventId === undefined ? null : session.answers.resume(lastEventId)
        if (lastEventId !== undefined && attach === null)
          throw new ApiError(400, 'The events after this one are not kept any more, or never were of this session')
        if (request.method === 'HEAD') return sendEventHeaders(reply)
        const stream = openStream({ session, request, reply, stopping: signal })
        if (attach === null) {
          listening.get(session)?.end()
          listening.set(session, stream)
        } else attach(stream)
        await stream.closed
        return undefined as never
      },
    }),
    defineRoute({
      ...MCP_ROUTE,
      method: 'DELETE',
      path: PATH,
      summary: 'Ends a session (Mcp-Session-Id); what reads is broken off, what moves money goes to its end',
      headers: McpHeaders,
      answer: McpEnded,
      refusals: [400, 403, 404],
      handle({ caller, headers, request }) {
        sessions.end(sessionOf(request, headers['mcp-session-id'], caller))
        return { message: 'Session ended' }
      },
    }),
  ]

  /** Throws ApiError. */
  function sessionOf(request: FastifyRequest, id: string | undefined, caller: SessionCaller | null): McpSession {
    checkRequest(request, rules)
    if (id === undefined) throw new ApiError(400, 'The header Mcp-Session-Id is missing: initialize gives it')
    const session = sessions.find('streamable', id, caller)
    if (session === null) throw noSuchSession()
    return session
  }
}

/** Without the header, JSON. */
function acceptedTypes({ headers }: FastifyRequest): { readonly json: boolean; readonly events: boolean } {
  const accept = (headers.accept ?? '').toLowerCase()
  const events = accept.includes('text/event-stream')
  return { json: !events || /application\/json|\*\/\*|application\/\*/.test(accept), events }
}
