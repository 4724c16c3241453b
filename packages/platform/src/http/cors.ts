/** Without cookies, a page can send only credentials that it holds itself. */
import { fastifyCors } from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const EXPOSED_HEADERS = [
  ...['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'],
  ...['mcp-session-id', 'x-execution-id', 'x-chat-turn'],
]
const ALLOWED_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'mcp-session-id', 'mcp-protocol-version']

export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  const shared = {
    origin: [...origins],
    exposedHeaders: EXPOSED_HEADERS,
    allowedHeaders: ALLOWED_HEADERS,
    maxAge: 600,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    strictPreflight: false,
  }
  // an OPTIONS request that is not a preflight is answered with 405
  const isPreflight = ({ headers }: FastifyRequest) => headers['access-control-request-method'] !== undefined
  await app.register(fastifyCors, { delegator: async (request: FastifyRequest) => ({ ...shared, preflight: isPreflight(request) }) })
}
