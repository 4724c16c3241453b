/** `/api/NAME/...` goes to the service of that name. */
import type { Clock } from '@keelson/primitives'
import type { AnswerMemory, HttpClient, HttpMethod } from '@keelson/runtime'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ServiceName } from '../../shared/config-document.ts'
import { type Callers, forwardedFor } from '../callers.ts'
import { forward } from './forward.ts'
import { forwardStream } from './forward-stream.ts'
import { refuse } from './refusal.ts'
import { servicePath } from './service-path.ts'

interface ServiceRules {
  readonly words: string
  readonly methods: readonly HttpMethod[]
  /** Path on the service, before what follows `/api/NAME`. */
  readonly base: '/api' | ''
  readonly headers: readonly string[]
  readonly timeoutMs: number
  /** Paths on the service that answer with server-sent events. */
  readonly streams: readonly string[]
}

const TIMEOUT_MS = 30_000

const RULES: Readonly<Record<ServiceName, ServiceRules>> = {
  index: { words: 'the index', methods: ['GET'], base: '/api', headers: [], timeoutMs: TIMEOUT_MS, streams: [] },
  bridge: { words: 'the bridge service', methods: ['GET'], base: '/api', headers: [], timeoutMs: TIMEOUT_MS, streams: [] },
  faucet: {
    words: 'the faucet',
    methods: ['GET', 'POST'],
    base: '/api',
    headers: ['content-type', 'idempotency-key'],
    timeoutMs: TIMEOUT_MS,
    streams: [],
  },
  platform: {
    words: 'the agent platform',
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    base: '',
    headers: ['authorization', 'content-type', 'idempotency-key', 'last-event-id'],
    // an execution may take nearly a minute
    timeoutMs: 58_000,
    streams: ['/api/v1/chatbot/chat/stream', '/api/v1/multi-agent/exchange/stream'],
  },
}
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_BODY_BYTES = 64 * 1024
/** An answer in the chat takes at most ten minutes and has 3,000 characters. */
const STREAM_LIMITS = { maxMs: 600_000, maxBytes: 4 * 1024 * 1024 }

export interface ServiceRoutesDependencies {
  readonly http: HttpClient
  readonly answers: AnswerMemory
  readonly callers: Callers
  readonly clock: Clock
  readonly stopping: AbortSignal
}

export function addServiceRoutes(
  app: FastifyInstance,
  services: Readonly<Record<ServiceName, string | null>>,
  { http, answers, callers, clock, stopping }: ServiceRoutesDependencies,
): void {
  for (const [name, rules] of Object.entries(RULES) as [ServiceName, ServiceRules][]) {
    const base = services[name]
    app.all(`/api/${name}/*`, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      if (base === null) return refuse(reply, 404, 'no-service', `this network has no ${name}`, 'a service that /config.json names')
      const method = rules.methods.find((one) => one === request.method)
      if (method === undefined) {
        reply.header('allow', rules.methods.join(', '))
        return refuse(reply, 405, 'method-not-allowed', `${request.method} is not passed on to ${rules.words}`, rules.methods.join(', '))
      }
      const path = servicePath(request.raw.url ?? '', `/api/${name}`, rules.base)
      if (path === null) return refuse(reply, 400, 'bad-path', 'the path is not valid', 'a path without "..", "//" or backslashes')
      const isStream = rules.streams.includes(path.split('?')[0] as string)
      const entered = callers.enter(request, 1, reply, isStream ? 'stream' : 'answer')
      if (entered === null) return reply
      try {
        const accept = isStream ? 'text/event-stream' : 'application/json'
        const target = {
          name: rules.words,
          url: base.replace(/\/+$/, '') + path,
          method,
          headers: { ...passedOn(request, rules.headers), accept, 'x-forwarded-for': forwardedFor(request) },
          timeoutMs: rules.timeoutMs,
          ...(typeof request.body === 'string' && request.body !== '' ? { body: request.body } : {}),
        }
        if (isStream) return await forwardStream(target, reply, STREAM_LIMITS, { clock, stopping })
        const answer = { maxAnswerBytes: MAX_ANSWER_BYTES, caller: callers.limitedName(request) }
        return await forward({ http, answers }, { ...target, ...answer }, reply, stopping)
      } finally {
        entered()
      }
    })
  }
}

function passedOn(request: FastifyRequest, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [])))
}
