/** What the routes of both transports are made of. */
import type { Clock } from '@keelson/primitives'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RATE_LIMITS } from '../http/rate-limits.ts'
import type { McpConnection } from './connection.ts'
import type { McpLimits } from './mcp-limits.ts'
import type { McpSessions } from './mcp-sessions.ts'
import type { RequestRules } from './request-rules.ts'
import type { McpUser } from './tool-calls.ts'

export interface McpRouteDependencies {
  readonly sessions: McpSessions
  connect(user: McpUser): Promise<McpConnection>
  readonly rules: RequestRules
  readonly limits: McpLimits
  /** Whether the token that a request came with is still good. */
  isTokenGood(authorization: string | undefined): Promise<boolean>
  readonly clock: Clock
}

/** Each tool has a time of its own, so that no route has one. */
export const MCP_ROUTE = { tag: 'mcp', auth: 'session-or-none', limit: RATE_LIMITS.write, timeout: 'stream', verbatim: true } as const

/** Whether who reads a stream may go on: nobody in particular always may. */
export function readerCheck({ headers }: FastifyRequest, isTokenGood: McpRouteDependencies['isTokenGood']): () => Promise<boolean> {
  const { authorization } = headers
  return async () => authorization === undefined || isTokenGood(authorization)
}

export function sendAccepted(reply: FastifyReply): never {
  return reply.code(202).type('text/plain; charset=utf-8').send('Accepted') as never
}

export function sendEventHeaders(reply: FastifyReply): never {
  return reply.type('text/event-stream; charset=utf-8').send() as never
}
