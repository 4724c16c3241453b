/**
 * Sources of contracts: larger bodies and longer waits than other requests have, because the index compiles one contract at a time.
 * The APIs of Etherscan and Sourcify, which forge and Hardhat speak, have their own paths: /api and /sourcify.
 */
import type { AnswerMemory, HttpClient } from '@keelson/runtime'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Callers, forwardedFor } from '../callers.ts'
import { forward } from './forward.ts'
import { refuse } from './refusal.ts'
import { servicePath } from './service-path.ts'

export interface VerificationRoutesDependencies {
  readonly http: HttpClient
  readonly answers: AnswerMemory
  readonly callers: Callers
  readonly stopping: AbortSignal
}

interface VerificationPath {
  readonly path: string
  /** Here, before the path on the service. */
  readonly prefix: '/api/index' | ''
}

interface Upload extends VerificationPath {
  readonly maxBytes: number
}

const MIB = 1024 * 1024
const UPLOADS: readonly Upload[] = [
  { path: '/api/index/contracts/:address/verify', prefix: '/api/index', maxBytes: MIB },
  // A form has up to three bytes for each of the source.
  ...['/api', '/api/'].map((path) => ({ path, prefix: '' as const, maxBytes: 3 * MIB })),
  { path: '/sourcify/v2/verify/:chain/:address', prefix: '', maxBytes: MIB },
]
const LOOKUPS: readonly VerificationPath[] = ['/api', '/api/', '/sourcify/v2/*'].map((path) => ({ path, prefix: '' }))
const MAX_ANSWER_BYTES = 8 * MIB
/** The longest wait for the compiler is 200 s. */
export const UPLOAD_TIMEOUT_MS = 210_000
const LOOKUP_TIMEOUT_MS = 30_000
const PRICE = 5

export function addVerificationRoutes(app: FastifyInstance, index: string, deps: VerificationRoutesDependencies): void {
  const { http, answers, callers, stopping } = deps
  const pass = async (request: FastifyRequest, reply: FastifyReply, { prefix }: VerificationPath) => {
    const path = pathOnIndex(request.raw.url ?? '', prefix)
    if (path === null) return refuse(reply, 400, 'bad-path', 'the path is not valid', 'a path without "..", "//" or backslashes')
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const isUpload = request.method === 'POST'
    const target = {
      name: 'the index',
      url: index.replace(/\/+$/, '') + path,
      method: isUpload ? ('POST' as const) : ('GET' as const),
      headers: { ...contentType(request), accept: 'application/json', 'x-forwarded-for': forwardedFor(request) },
      ...(isUpload ? { body: typeof request.body === 'string' ? request.body : '' } : {}),
      timeoutMs: isUpload ? UPLOAD_TIMEOUT_MS : LOOKUP_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      caller: callers.limitedName(request),
    }
    return forward({ http, answers }, target, reply, AbortSignal.any([stopping, gone.signal]))
  }
  /** Before the body is in memory. */
  const enter = (price: number, kind: 'answer' | 'upload') => async (request: FastifyRequest, reply: FastifyReply) => {
    const leave = callers.enter(request, price, reply, kind)
    if (leave === null) return reply
    reply.raw.once('close', leave)
  }
  for (const upload of UPLOADS) {
    const options = { bodyLimit: upload.maxBytes, onRequest: enter(PRICE, 'upload') }
    app.post(upload.path, options, (request, reply) => pass(request, reply, upload))
  }
  for (const lookup of LOOKUPS) {
    app.get(lookup.path, { onRequest: enter(1, 'answer') }, (request, reply) => pass(request, reply, lookup))
  }
}

function pathOnIndex(url: string, prefix: VerificationPath['prefix']): string | null {
  return prefix === '' ? servicePath(`/index${url}`, '/index', '') : servicePath(url, prefix, '/api')
}

function contentType({ headers }: FastifyRequest): Record<string, string> {
  const type = headers['content-type']
  return type === undefined ? {} : { 'content-type': type }
}
