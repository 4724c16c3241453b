import type { Clock } from '@keelson/primitives'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-error.ts'
import { sendEventStream } from '../http/event-stream.ts'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import type { GuardedTransport } from './guarded-transport.ts'
import type { McpLimits } from './mcp-limits.ts'
import type { McpSession, McpSessions } from './mcp-sessions.ts'
import { parseMessages, withWrittenIds } from './number-ids.ts'
import type { McpUser } from './tool-calls.ts'

export interface McpRouteDependencies {
  readonly sessions: McpSessions
  connect(user: McpUser, transport: Transport): Promise<GuardedTransport>
  readonly corsOrigins: readonly string[]
  readonly limits: McpLimits
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

/** Tools have time limits of their own. */
export const MCP_ROUTE = {
  tag: 'mcp',
  auth: 'session-or-none',
  limit: RATE_LIMITS.write,
  timeout: 'stream',
  verbatim: true,
  parse: parseMessages,
  rewriteAnswer: withWrittenIds,
} as const

/** Prevents DNS rebinding by refusing unknown origins. Throws ApiError. */
export function checkRequest({ headers }: FastifyRequest, corsOrigins: readonly string[]): void {
  const { origin } = headers
  if (origin !== undefined && !corsOrigins.includes('*') && !corsOrigins.includes(origin))
    throw new ApiError(403, 'Pages of this origin may not use the tool protocol')
  const version = headers['mcp-protocol-version']
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
    throw new ApiError(400, `Unsupported protocol version: this server supports ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`)
}

export function noSuchSession(): ApiError {
  return new ApiError(404, 'This server has no session of the tool protocol with this id for this token: open one')
}

export function checkCalls({ guard }: McpSession, more: number, { callsOfSession }: McpLimits): void {
  if (guard.asked + more <= callsOfSession) return
  throw new ApiError(429, `Rate limit exceeded: ${callsOfSession} requests of a session at once`, { headers: { 'retry-after': '1' } })
}

export function pipeEvents(
  { clock, isTokenGood }: McpRouteDependencies,
  { request, reply, signal: stopping }: { request: FastifyRequest; reply: FastifyReply; signal: AbortSignal },
  body: ReadableStream<string>,
  first: readonly string[] = [],
): Promise<void> {
  const { authorization } = request.headers
  const isGood = async () => authorization === undefined || isTokenGood(authorization)
  const leaving = new AbortController()
  const reader = body.getReader()
  leaving.signal.addEventListener('abort', () => void reader.cancel(), { once: true })
  async function* events(): AsyncGenerator<string> {
    yield* first.map(withWrittenIds)
    // Each part has whole events.
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield withWrittenIds(part.value)
  }
  return sendEventStream(reply, events(), { stopping, isGood, clock, leaving, bodyless: false })
}

export function sendAccepted(reply: FastifyReply): never {
  return reply.code(202).type('text/plain; charset=utf-8').send('Accepted') as never
}

export function sendEventHeaders(reply: FastifyReply): never {
  return reply.type('text/event-stream; charset=utf-8').send() as never
}
