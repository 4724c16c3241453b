/**
 * Guessing passwords is slowed down: failures of an account from one address, of an account from anywhere, and of an
 * address with any account each have a measure of their own. An attempt counts before it is judged, so that many at once
 * are as slow as one after the other; one that succeeds counts for nothing. From where somebody logged in, what others
 * guess elsewhere is no hindrance.
 */
import { ApiError } from '../http/api-error.ts'
import type { RateLimitStore } from '../http/rate-limit-store.ts'
import type { RateLimit } from '../http/rate-limits.ts'

const MINUTE_MS = 60_000

/** So many at once, then one each time a part of the window has passed. */
export const LOGIN_LIMITS = {
  pair: { requests: 5, windowMs: 15 * MINUTE_MS },
  /** Not from an address that the account was logged in from: its owner is not locked out there by strangers. */
  account: { requests: 50, windowMs: 60 * MINUTE_MS },
  address: { requests: 50, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, RateLimit>

/** How long such an address is remembered. */
const KNOWN: RateLimit = { requests: 1, windowMs: 30 * 24 * 60 * MINUTE_MS }

export interface LoginThrottle {
  /** Throws ApiError 429 when it is not this caller's turn; else gives what to call when the password was right. */
  attempt(email: string, subscriber: string): Promise<{ succeeded(): Promise<void> }>
}

export function createLoginThrottle(limits: RateLimitStore): LoginThrottle {
  return {
    async attempt(email, subscriber) {
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
          // anew, for the whole time
          await limits.forget(known)
          await limits.take(known, KNOWN)
        },
      }
    },
  }
}
