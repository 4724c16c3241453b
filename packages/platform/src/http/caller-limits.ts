/**
 * Requests counted by who asks: a session, a user or an address; and all sessions of a user together, since a user may
 * have many of them.
 */
import type { RateLimitStore, RateVerdict } from './rate-limit-store.ts'
import { type RateLimit, scaledLimit } from './rate-limits.ts'
import type { Caller } from './route.ts'

/** All sessions of a user have so many times what one has. */
export const SESSIONS_TOGETHER = 5

export interface Asker {
  readonly caller: Caller | null
  /** IPv4 address, or /64 of an IPv6 address. */
  readonly subscriber: string
}

export interface CallerVerdict extends RateVerdict {
  /** The limit that is nearest to be reached, scaled. */
  readonly limit: RateLimit
  readonly of: 'caller' | 'all-sessions'
}

export interface CallerLimits {
  /** Counts so many requests under a name, or none when one of them is refused. */
  take(name: string, asker: Asker, limit: RateLimit, requests?: number): Promise<CallerVerdict>
}

interface Measure {
  readonly key: string
  readonly limit: RateLimit
  readonly of: CallerVerdict['of']
}

export function createCallerLimits(store: RateLimitStore, scale: number): CallerLimits {
  const scaled = (limit: RateLimit, times = 1): RateLimit => {
    const { requests, windowMs } = scaledLimit(limit, scale)
    return { requests: requests * times, windowMs }
  }
  const measuresOf = (name: string, { caller, subscriber }: Asker, limit: RateLimit): readonly Measure[] => {
    const own = { key: `${name} ${nameOf(caller, subscriber)}`, limit: scaled(limit), of: 'caller' } as const
    if (caller?.tier !== 'session') return [own]
    return [own, { key: `${name} sessions of ${caller.userId}`, limit: scaled(limit, SESSIONS_TOGETHER), of: 'all-sessions' }]
  }
  return {
    async take(name, asker, limit, requests = 1) {
      const measures = measuresOf(name, asker, limit)
      const taken: Measure[] = []
      let tightest: CallerVerdict | null = null
      for (let i = 0; i < requests; i++) {
        const verdicts = await Promise.all(
          measures.map(async (measure) => {
            const verdict = await store.take(measure.key, measure.limit)
            if (verdict.allowed) taken.push(measure)
            return { ...verdict, limit: measure.limit, of: measure.of }
          }),
        )
        tightest = verdicts.reduce((a, b) => (tightness(b) > tightness(a) ? b : a))
        if (!tightest.allowed) {
          for (const { key, limit: whole } of taken) await store.giveBack(key, whole)
          return tightest
        }
      }
      return tightest ?? { allowed: true, remaining: 0, resetMs: 0, retryAfterMs: 0, limit: scaled(limit), of: 'caller' }
    },
  }
}

function nameOf(caller: Caller | null, subscriber: string): string {
  if (caller === null) return subscriber
  return caller.tier === 'user' ? `user ${caller.userId}` : `session ${caller.sessionId}`
}

/** Of two, the one to tell of: refused the longer, or with less left. */
function tightness({ allowed, retryAfterMs, remaining }: CallerVerdict): number {
  return allowed ? -remaining : 1 + retryAfterMs
}
