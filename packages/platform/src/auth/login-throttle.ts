/**
 * Attempts count before the password is checked, so parallel attempts gain nothing. Attackers elsewhere cannot lock out a user at
 * an address with a recent login.
 */
import { ApiError } from '../http/api-error.ts'
import type { RateLimitStore } from '../http/rate-limit-store.ts'
import type { RateLimit } from '../http/rate-limits.ts'

const MINUTE_MS = 60_000

/** `requests` at once, then one per `windowMs / requests`. */
export const LOGIN_LIMITS = {
  pair: { requests: 5, windowMs: 15 * MINUTE_MS },
  account: { requests: 50, windowMs: 60 * MINUTE_MS },
  address: { requests: 50, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, RateLimit>

const KNOWN: RateLimit = { requests: 1, windowMs: 30 * 24 * 60 * MINUTE_MS }

export type LoginThrottle = ReturnType<typeof createLoginThrottle>

export function createLoginThrottle(limits: RateLimitStore) {
  return {
    /** Counts as failed until `succeeded` is called. Throws ApiError 429. */
    async attempt(email: string, subscriber: string) {
      const keys = { pair: `login ${subscriber} ${email}`, account: `login account ${email}`, address: `login address ${subscriber}` }
      const known = `login known ${subscriber} ${email}`
      const taken: (keyof typeof keys)[] = []
      const giveBack = () => Promise.all(taken.map((kind) => limits.giveBack(keys[kind], LOGIN_LIMITS[kind])))
      for (const kind of (await limits.isCounted(known)) ? (['address', 'pair'] as const) : (['address', 'pair', 'account'] as const)) {
        const { allowed, retryAfterMs } = await limits.take(keys[kind], LOGIN_LIMITS[kind])
        if (!allowed) {
          await giveBack()
          const waitSec = Math.max(1, Math.ceil(retryAfterMs / 1000))
          throw new ApiError(429, `Too many failed logins: try again in ${waitSec} s`, { headers: { 'retry-after': String(waitSec) } })
        }
        taken.push(kind)
      }
      return {
        async succeeded() {
          await limits.forget(keys.pair)
          taken.splice(taken.indexOf('pair'), 1)
          await giveBack()
          await limits.forget(known)
          await limits.take(known, KNOWN)
        },
      }
    },
  }
}
