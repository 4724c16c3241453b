import type { Clock } from '@keelson/primitives'
import type { AnswerMemory, HttpClient } from '@keelson/runtime'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Callers, forwardedFor } from '../callers.ts'
import { createInFlight } from '../in-flight.ts'
import { DATA_HEADERS } from '../security-headers.ts'
import { forward } from './forward.ts'
import { type RpcId, readRpcBody } from './read-rpc-body.ts'
import { refuse } from './refusal.ts'
import { createSharedTime } from './shared-time.ts'

/** A raw transaction of 128 KiB as hex, and room for the rest. */
const MAX_BODY_BYTES = 300 * 1024
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 15_000
/** Traces run in the node's few worker threads. */
const TRACES = { perClient: 1, total: 2 }
/** As the node's own price: a token of a caller pays for 5 ms of its worker. */
const MS_PER_TOKEN = 5
const BUSY = -32005

export interface RpcRoutesDependencies {
  readonly http: HttpClient
  readonly answers: AnswerMemory
  readonly callers: Callers
  readonly clock: Clock
  readonly stopping: AbortSignal
}

export function addRpcRoutes(
  app: FastifyInstance,
  nodes: Readonly<Record<'l1' | 'l2', string | null>>,
  { http, answers, callers, clock, stopping }: RpcRoutesDependencies,
): void {
  const traces = createInFlight(TRACES)
  for (const layer of ['l1', 'l2'] as const) {
    const url = nodes[layer]
    const time = createSharedTime(clock)
    app.post(`/rpc/${layer}`, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      if (url === null) return refuse(reply, 404, 'no-service', `this server has no node of ${layer.toUpperCase()}`, 'the other layer')
      if (!isJson(request.headers['content-type']))
        return refuse(reply, 415, 'content-type', 'this path takes JSON only', 'application/json')
      const body = typeof request.body === 'string' ? request.body : ''
      const read = readRpcBody(body)
      if (!read.ok) return rpcError(reply, read.number, read.message, read.id)
      const leave = callers.enter(request, read.price, reply)
      if (leave === null) return reply
      const leaveTraces = read.traces ? traces.enter(callers.nameOf(request)) : () => undefined
      try {
        if (leaveTraces === null) return rpcError(reply, BUSY, 'other traces are running; try again in a moment', read.id)
        const target = { name: `the node of ${layer.toUpperCase()}`, url, method: 'POST' as const, timeoutMs: TIMEOUT_MS }
        const headers = { 'content-type': 'application/json', ...(layer === 'l2' ? { 'x-forwarded-for': forwardedFor(request) } : {}) }
        const answer = { maxAnswerBytes: MAX_ANSWER_BYTES, caller: callers.limitedName(request) }
        const end = time.begin()
        try {
          return await forward({ http, answers }, { ...target, headers, body, ...answer }, reply, stopping)
        } finally {
          callers.charge(request, Math.max(0, end() / MS_PER_TOKEN - read.price))
        }
      } finally {
        leaveTraces?.()
        leave()
      }
    })
    app.route({
      method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
      url: `/rpc/${layer}`,
      handler: async (request, reply) => {
        reply.header('allow', 'POST')
        return refuse(reply, 405, 'method-not-allowed', `${request.method} is not served here`, 'JSON-RPC with POST')
      },
    })
  }
}

/** Browsers send other types for pages of other sites without asking first. */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '')
}

function rpcError(reply: FastifyReply, code: number, message: string, id: RpcId): FastifyReply {
  reply.headers({ ...DATA_HEADERS, 'cache-control': 'no-store' })
  return reply.type('application/json; charset=utf-8').send(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`)
}
