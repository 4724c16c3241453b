/** Without cookies, a page can send only credentials that it holds itself. */
import { corsHeaders } from '@keelson/runtime'
import type { FastifyInstance } from 'fastify'

const CORS = {
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  headers: ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'mcp-session-id', 'mcp-protocol-version'],
  exposed: [
    ...['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
    ...['mcp-session-id', 'x-execution-id', 'x-chat-turn'],
  ],
}

export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(corsHeaders(request, { ...CORS, origins }))
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    // An OPTIONS request that is not a preflight is answered with 405.
    if (isPreflight) return reply.code(204).send()
  })
}
