import type { RateLimitStore, RateVerdict } from './rate-limit-store.ts'
import { type RateLimit, scaledLimit } from './rate-limits.ts'
import type { Caller } from './route.ts'

/** Limit of all sessions of a user, as a multiple of one session's. */
export const SESSIONS_TOGETHER = 5

export interface Asker {
  readonly caller: Caller | null
  readonly subscriber: string
}

export interface CallerVerdict extends RateVerdict {
  readonly limit: RateLimit
  readonly of: 'caller' | 'all-sessions'
}

export type CallerLimits = ReturnType<typeof createCallerLimits>

export function createCallerLimits(store: RateLimitStore, scale: number) {
  return {
    /** Counts either all `requests` or none. */
    async take(name: string, { caller, subscriber }: Asker, unscaled: RateLimit, requests = 1): Promise<CallerVerdict> {
      const limit = scaledLimit(unscaled, scale)
      const counters: { key: string; limit: RateLimit; of: CallerVerdict['of'] }[] = [
        { key: `${name} ${callerName(caller, subscriber)}`, limit, of: 'caller' },
      ]
      if (caller?.tier === 'session') {
        const together = { ...limit, requests: limit.requests * SESSIONS_TOGETHER }
        counters.push({ key: `${name} sessions of ${caller.userId}`, limit: together, of: 'all-sessions' })
      }
      const verdicts = await Promise.all(
        counters.map(async (counter) => ({ ...counter, ...(await store.take(counter.key, counter.limit, requests)) })),
      )
      const tightest = verdicts.reduce((a, b) => (tightness(b) > tightness(a) ? b : a))
      if (!tightest.allowed) for (const counter of verdicts) if (counter.allowed) await store.giveBack(counter.key, counter.limit, requests)
      return tightest
    },
  }
}

function callerName(caller: Caller | null, subscriber: string): string {
  if (caller === null) return subscriber
  return caller.tier === 'user' ? `user ${caller.userId}` : `session ${caller.sessionId}`
}

function tightness({ allowed, retryAfterMs, remaining }: CallerVerdict): number {
  return allowed ? -remaining : 1 + retryAfterMs
}
