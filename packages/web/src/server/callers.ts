/** Who sends a request, and whether it may be passed on now. */
import { anonymousOrigin, forwardedForOf, limitedClient, type RpcAccess, type RpcCaller, TRUSTED_TIER } from '@keelson/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createInFlight } from './in-flight.ts'
import { refuse } from './proxy/refusal.ts'

export interface Callers {
  nameOf(request: FastifyRequest): string
  /** Whose share of limits the request uses; null for a trusted caller. */
  limitedName(request: FastifyRequest): string | null
  /** Charges on credit for what a request cost besides its price. */
  charge(request: FastifyRequest, price: number): void
  /** Returns the function that ends the request, or null after it answered 429. Streams and uploads have places of their own. */
  enter(request: FastifyRequest, price: number, reply: FastifyReply, kind?: 'answer' | 'stream' | 'upload'): (() => void) | null
}

const LIMITS = { answer: { perClient: 16, total: 512 }, stream: { perClient: 6, total: 256 }, upload: { perClient: 2, total: 16 } }
const MAX_WAIT_MS = 3_600_000

export function createCallers(access: RpcAccess, perSec: number): Callers {
  const inFlight = { answer: createInFlight(LIMITS.answer), stream: createInFlight(LIMITS.stream), upload: createInFlight(LIMITS.upload) }
  const callerOf = (request: FastifyRequest): RpcCaller | null => {
    const entry = access.identify(anonymousOrigin(request.raw))
    return entry.ok ? entry.caller : null
  }
  return {
    nameOf: (request) => callerOf(request)?.client ?? 'unknown',
    limitedName(request) {
      const caller = callerOf(request)
      return caller === null ? 'unknown' : limitedClient(caller)
    },
    charge(request, price) {
      callerOf(request)?.charge(price)
    },
    enter(request, price, reply, kind = 'answer') {
      const caller = callerOf(request)
      const waitMs = caller === null || caller.tier === TRUSTED_TIER ? 0 : caller.take(price)
      if (waitMs > 0) {
        const seconds = Math.max(1, Math.ceil(Math.min(waitMs, MAX_WAIT_MS) / 1000))
        reply.header('retry-after', String(seconds))
        const message = `too many requests from this address or its network; retry in ${seconds} s`
        refuse(reply, 429, 'rate-limited', message, `at most ${perSec} requests a second`)
        return null
      }
      const leave = inFlight[kind].enter(caller?.client ?? 'unknown')
      if (leave !== null) return leave
      reply.header('retry-after', '1')
      const [what, things] =
        kind === 'stream' ? ['too many streams are open', 'streams'] : ['too many requests are waiting for an answer', 'requests']
      refuse(reply, 429, 'busy', what, `at most ${LIMITS[kind].perClient} ${things} at once`)
      return null
    },
  }
}

/** For the service behind: the hops so far, and the one that connected here. */
export function forwardedFor(request: FastifyRequest): string {
  const peer = request.socket.remoteAddress ?? 'unknown'
  const before = forwardedForOf(request.raw)
  return before === undefined ? peer : `${before}, ${peer}`
}
