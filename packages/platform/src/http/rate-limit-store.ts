/**
 * GCRA. @fastify/rate-limit does not fit: it checks one limit per request, cannot uncount, cannot allow one login every three
 * minutes, and counts nothing without Redis.
 */
import type { Clock } from '@keelson/primitives'
import type { RateLimit } from './rate-limits.ts'

export interface RateVerdict {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetMs: number
  readonly retryAfterMs: number
}

export interface RateLimitStore {
  /** Counts either all `requests` or none. */
  take(key: string, limit: RateLimit, requests?: number): Promise<RateVerdict>
  giveBack(key: string, limit: RateLimit, requests?: number): Promise<void>
  isCounted(key: string): Promise<boolean>
  forget(key: string): Promise<void>
}

const MAX_KEYS = 100_000

export function createMemoryRateLimits(clock: Clock): RateLimitStore {
  const arrivals = new Map<string, number>()
  const set = (key: string, atMs: number) => {
    arrivals.delete(key)
    arrivals.set(key, atMs)
    if (arrivals.size > MAX_KEYS) arrivals.delete(arrivals.keys().next().value as string)
  }
  return {
    async take(key, { requests: limit, windowMs }, requests = 1) {
      const nowMs = clock.monotonicMs()
      const intervalMs = windowMs / limit
      const fromMs = Math.max(arrivals.get(key) ?? 0, nowMs)
      const arrivalMs = fromMs + requests * intervalMs
      // the small tolerance covers floating-point errors
      const overMs = arrivalMs - nowMs - windowMs - intervalMs * 1e-6
      if (overMs > 0) return { allowed: false, remaining: 0, resetMs: fromMs - nowMs, retryAfterMs: Math.ceil(overMs) }
      set(key, arrivalMs)
      const remaining = Math.max(0, Math.floor((windowMs - (arrivalMs - nowMs)) / intervalMs + 1e-6))
      return { allowed: true, remaining, resetMs: arrivalMs - nowMs, retryAfterMs: 0 }
    },
    async giveBack(key, limit, requests = 1) {
      const arrivalMs = arrivals.get(key)
      if (arrivalMs !== undefined) set(key, arrivalMs - (requests * limit.windowMs) / limit.requests)
    },
    async isCounted(key) {
      return (arrivals.get(key) ?? 0) > clock.monotonicMs()
    },
    async forget(key) {
      arrivals.delete(key)
    },
  }
}
