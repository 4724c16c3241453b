/** Pages of named origins may call. No cookies are used, so nothing is sent by a page that it does not have itself. */
import type { onRequestAsyncHookHandler } from 'fastify'

const EXPOSED =
  'retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, ratelimit-policy, mcp-session-id, x-execution-id, x-chat-turn'
const ALLOWED_HEADERS = 'authorization, content-type, idempotency-key, last-event-id, mcp-session-id, mcp-protocol-version'
const PREFLIGHT_SECONDS = '600'

export function createCors(origins: readonly string[]): onRequestAsyncHookHandler {
  const any = origins.includes('*')
  return async function allowOrigin(request, reply) {
    const { origin } = request.headers
    reply.header('cache-control', 'no-store')
    if (origin !== undefined && (any || origins.includes(origin))) {
      reply.header('access-control-allow-origin', any ? '*' : origin)
      if (!any) reply.header('vary', 'origin')
      reply.header('access-control-expose-headers', EXPOSED)
      if (request.method === 'OPTIONS') {
        reply.header('access-control-allow-methods', 'GET, POST, PATCH, DELETE')
        reply.header('access-control-allow-headers', ALLOWED_HEADERS)
        reply.header('access-control-max-age', PREFLIGHT_SECONDS)
      }
    }
    // other OPTIONS requests are handled like any method
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) return reply.code(204).send()
  }
}
