/** An answer after PROMPT_MS is sent as events, which a client can resume. */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-error.ts'
import { type AnyRoute, defineRoute, type SessionCaller } from '../http/route.ts'
import { type McpAnswer, McpAnswers, McpEnded, McpEvents, McpHeaders, McpListenHeaders, McpMessages } from '../schemas/mcp.ts'
import type { McpSession } from './mcp-sessions.ts'
import { messageFault } from './message-fault.ts'
import * as parts from './route-parts.ts'
import { answerOnce, askSdk, createSessionTransport, type StreamableTransport } from './sdk-transport.ts'

export const PROMPT_MS = 2_000

const ROUTE = { ...parts.MCP_ROUTE, path: '/mcp', refusals: [400, 403, 404] } as const

export function createStreamableRoutes(deps: parts.McpRouteDependencies): readonly AnyRoute[] {
  const { sessions, connect, corsOrigins, limits, clock } = deps

  function find(id: string | undefined, caller: SessionCaller | null): McpSession {
    if (id === undefined) throw new ApiError(400, 'The header Mcp-Session-Id is missing: initialize returns it')
    const session = sessions.find('streamable', id, caller)
    if (session === null) throw parts.noSuchSession()
    return session
  }

  async function promptly(text: Promise<string>): Promise<string | null> {
    const timer = new AbortController()
    const late = clock.sleep(PROMPT_MS, timer.signal).catch(() => undefined)
    const first = await Promise.race([text, late.then(() => null)])
    timer.abort()
    return first
  }

  return [
    defineRoute({
      ...ROUTE,
      method: 'POST',
      summary: 'Send messages of the tool protocol (Streamable HTTP). initialize opens a session; other messages may come without one',
      headers: McpHeaders,
      body: McpMessages,
      bodyBytes: limits.messageBytes,
      answer: McpAnswers,
      accepted: 'Accepted: no message asks for an answer',
      async handle(input) {
        const { caller, subscriber, body, headers, request, reply, signal } = input
        parts.checkRequest(request, corsOrigins)
        const messages = [body].flat()
        if (messages.length > 1) await input.charge(messages.length - 1)
        const shown = (answers: readonly McpAnswer[]) => (Array.isArray(body) ? [...answers] : (answers[0] as McpAnswer))
        const user = { caller, subscriber, stopping: signal }
        const named = headers['mcp-session-id']
        const initialize = messages.find(({ method }) => method === 'initialize')
        if (initialize !== undefined && (named !== undefined || messages.length > 1))
          throw new ApiError(400, 'initialize opens a session: send it alone and without Mcp-Session-Id')
        const opens = initialize?.id !== undefined && messageFault(initialize) === null
        if (named === undefined && !opens) {
          const answers = await answerOnce(messages, user, connect)
          return answers.length === 0 ? parts.sendAccepted(reply) : shown(answers)
        }
        const session = opens ? await sessions.open('streamable', user, createSessionTransport) : find(named, caller)
        const refusals = session.guard.refusalsOf(messages)
        const refused = refusals.filter((refusal) => refusal !== null)
        const passed = messages.filter((_, i) => refusals[i] === null)
        const ids = passed.flatMap(({ id }) => id ?? [])
        parts.checkCalls(session, ids.length, limits)
        const expected = session.answers.expect(ids)
        const response = passed.length === 0 ? null : await askSdk(session.transport as StreamableTransport, request, passed)
        if (response === null || ids.length === 0) return refused.length === 0 ? parts.sendAccepted(reply) : shown(refused)
        reply.header('mcp-session-id', session.id)
        const [whole, live] = textStream(response).tee()
        const text = textOf(whole)
        const { json, events } = acceptedTypes(request)
        const prompt = json ? await (events ? promptly(text) : text) : null
        if (prompt === null) {
          expected.keep()
          const first = refused.map((refusal) => `event: message\ndata: ${JSON.stringify(refusal)}\n\n`)
          await parts.pipeEvents(deps, input, live, first)
          return undefined as never
        }
        void live.cancel()
        const answers = new Map(answersIn(prompt).map((answer) => [answer.id, answer]))
        return shown(messages.flatMap(({ id }, i) => refusals[i] ?? answers.get(id ?? null) ?? []))
      },
    }),
    defineRoute({
      ...ROUTE,
      method: 'GET',
      summary: 'Listen to the session Mcp-Session-Id; with Last-Event-ID, read the answers after that event',
      headers: McpListenHeaders,
      answer: McpEvents,
      answerType: 'text/event-stream',
      async handle(input) {
        const { caller, headers, request, reply } = input
        parts.checkRequest(request, corsOrigins)
        const session = find(headers['mcp-session-id'], caller)
        const transport = session.transport as StreamableTransport
        const lastEventId = headers['last-event-id']
        const resumed = lastEventId === undefined ? null : session.answers.resume(lastEventId)
        if (lastEventId !== undefined && resumed === null) throw new ApiError(400, 'No events of this session are kept after Last-Event-ID')
        if (request.method === 'HEAD') return parts.sendEventHeaders(reply)
        reply.header('mcp-session-id', session.id)
        // a session has one listener, so a new one replaces it
        if (resumed === null) transport.closeStandaloneSSEStream()
        const rest = resumed?.rest ?? null
        await parts.pipeEvents(deps, input, textStream(rest === null ? await askSdk(transport, request, null) : new Response(rest)))
        return undefined as never
      },
    }),
    defineRoute({
      ...ROUTE,
      method: 'DELETE',
      summary: 'End the session Mcp-Session-Id. Tools that read are cancelled; tools that move money run to their end',
      headers: McpHeaders,
      answer: McpEnded,
      handle({ caller, headers, request }) {
        parts.checkRequest(request, corsOrigins)
        sessions.end(find(headers['mcp-session-id'], caller))
        return { message: 'Session ended' }
      },
    }),
  ]
}

function textStream({ body }: Response): ReadableStream<string> {
  return (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())
}

async function textOf(stream: ReadableStream<string>): Promise<string> {
  let text = ''
  for await (const part of stream) text += part
  return text
}

function answersIn(events: string): readonly McpAnswer[] {
  return [...events.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as McpAnswer)
}

function acceptedTypes({ headers }: FastifyRequest): { readonly json: boolean; readonly events: boolean } {
  const accept = (headers.accept ?? '').toLowerCase()
  const events = accept.includes('text/event-stream')
  return { json: !events || /application\/json|\*\/\*|application\/\*/.test(accept), events }
}
