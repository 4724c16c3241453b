/** Transport of protocol version 2024-11-05. */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type AnyRoute, defineRoute } from '../http/route.ts'
import { McpAnswer, McpEvents, McpMessage, McpSessionQuery } from '../schemas/mcp.ts'
import * as parts from './route-parts.ts'
import { answerOnce } from './sdk-transport.ts'

const MESSAGES_PATH = '/mcp/messages'

export function createLegacyRoutes(deps: parts.McpRouteDependencies): readonly AnyRoute[] {
  const { sessions, connect, corsOrigins, limits } = deps
  return [
    defineRoute({
      ...parts.MCP_ROUTE,
      method: 'GET',
      path: '/mcp/sse',
      summary: 'Open a session of the tool protocol. The endpoint event names the address for messages; message events are the answers',
      answer: McpEvents,
      answerType: 'text/event-stream',
      refusals: [400, 403],
      async handle(input) {
        const { caller, subscriber, request, reply, signal } = input
        parts.checkRequest(request, corsOrigins)
        if (request.method === 'HEAD') return parts.sendEventHeaders(reply)
        const queue = createEventQueue(limits.behindBytes, () => reply.raw.destroy())
        const session = await sessions.open('events', { caller, subscriber, stopping: signal }, () => ({
          start: async () => undefined,
          send: async (message) => queue.add('message', JSON.stringify(message)),
          close: async () => queue.end(),
        }))
        queue.add('endpoint', `${MESSAGES_PATH}?sessionId=${session.id}`)
        await parts.pipeEvents(deps, input, queue.stream)
        sessions.end(session)
        return undefined as never
      },
    }),
    defineRoute({
      ...parts.MCP_ROUTE,
      method: 'POST',
      path: MESSAGES_PATH,
      summary: 'Send a message of the tool protocol. It is answered in the body, or on the stream of the session of /mcp/sse',
      query: McpSessionQuery,
      body: McpMessage,
      bodyBytes: limits.messageBytes,
      answer: McpAnswer,
      accepted: 'Accepted: an answer comes on the stream of the session',
      refusals: [400, 403, 404],
      async handle({ caller, subscriber, body, query, request, reply, signal }) {
        parts.checkRequest(request, corsOrigins)
        if (query.sessionId === undefined) {
          const [answer] = await answerOnce([body], { caller, subscriber, stopping: signal }, connect)
          return answer ?? parts.sendAccepted(reply)
        }
        const session = sessions.find('events', query.sessionId, caller)
        if (session === null) throw parts.noSuchSession()
        const { guard, transport } = session
        const [refusal] = guard.refusalsOf([body])
        parts.checkCalls(session, refusal === null && body.id !== undefined ? 1 : 0, limits)
        if (refusal) await transport.send(refusal as JSONRPCMessage)
        else transport.onmessage?.({ ...body, jsonrpc: '2.0' } as JSONRPCMessage)
        return parts.sendAccepted(reply)
      },
    }),
  ]
}

function createEventQueue(behindBytes: number, onFull: () => void) {
  let controller: ReadableStreamDefaultController<string> | null = null
  const stream = new ReadableStream<string>(
    {
      start(given) {
        controller = given
      },
      cancel() {
        controller = null
      },
    },
    { highWaterMark: behindBytes, size: (text) => text?.length ?? 0 },
  )
  return {
    stream,
    add(event: string, data: string) {
      controller?.enqueue(`event: ${event}\ndata: ${data}\n\n`)
      if ((controller?.desiredSize ?? 0) < 0) onFull()
    },
    end() {
      controller?.close()
      controller = null
    },
  }
}
