import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport as SdkTransport,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { FastifyRequest } from 'fastify'
import type { McpAnswer, McpMessage } from '../schemas/mcp.ts'
import type { McpRouteDependencies } from './route-parts.ts'
import type { McpUser } from './tool-calls.ts'

export type StreamableTransport = SdkTransport & Transport

export function createSessionTransport(id: string, eventStore: EventStore): StreamableTransport {
  return new SdkTransport({ sessionIdGenerator: () => id, eventStore, keepAliveMs: 0 }) as StreamableTransport
}

const FORWARDED = ['mcp-session-id', 'mcp-protocol-version', 'last-event-id']

export async function askSdk(
  transport: SdkTransport,
  request: FastifyRequest | null,
  messages: readonly McpMessage[] | null,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
  for (const name of FORWARDED) if (request?.headers[name] !== undefined) headers.set(name, String(request.headers[name]))
  const sent = new Request('http://localhost/mcp', { method: messages === null ? 'GET' : 'POST', headers })
  const parsedBody = messages?.map((message) => ({ ...message, jsonrpc: '2.0' }))
  const response = await transport.handleRequest(sent, parsedBody === undefined ? {} : { parsedBody })
  if (!response.ok) throw new Error(`the MCP transport answered ${response.status}: ${await response.text()}`)
  return response
}

/** A message without `jsonrpc` gets an answer even if it has no id. */
export async function answerOnce(
  messages: readonly McpMessage[],
  user: McpUser,
  connect: McpRouteDependencies['connect'],
): Promise<readonly McpAnswer[]> {
  const transport = new SdkTransport({ enableJsonResponse: true })
  const guard = await connect(user, transport as Transport)
  try {
    const judged = messages.map((message, i) => ({
      message,
      refusal: guard.refusalsOf([message])[0] ?? null,
      // unique, because clients cannot send a null character
      ownId: `\0${i}`,
    }))
    const asked = judged.filter(({ message, refusal }) => refusal !== null || isRequest(message))
    const passed = asked.filter(({ refusal }) => refusal === null).map(({ message, ownId }) => ({ ...message, id: ownId }))
    const answers = passed.length === 0 ? [] : ([await (await askSdk(transport, null, passed)).json()].flat() as McpAnswer[])
    user.stopping.throwIfAborted()
    return asked.map(({ message, refusal, ownId }) => {
      const answer = refusal ?? answers.find(({ id }) => id === ownId)
      return { ...(answer as McpAnswer), id: message.id ?? null }
    })
  } finally {
    await guard.close()
  }
}

function isRequest({ id, jsonrpc, method }: McpMessage): boolean {
  return id !== undefined || (jsonrpc === undefined && !method.startsWith('notifications/'))
}
