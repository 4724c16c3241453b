/**
 * Counting requests, behind a port: in this process, or shared by several in Redis. The rule is the same (GCRA): each
 * request moves the caller's "theoretical arrival time" on by one interval, and may not move it past one window from now.
 */
import type { Clock } from '@keelson/primitives'
import type { RateLimit } from './rate-limits.ts'

export interface RateVerdict {
  readonly allowed: boolean
  /** Requests left at once. */
  readonly remaining: number
  /** Until all of them are there again. */
  readonly resetMs: number
  /** Until the next one is let in; 0 when this one was. */
  readonly retryAfterMs: number
}

export interface RateLimitStore {
  /** Counts a request, unless it is refused. */
  take(key: string, limit: RateLimit): Promise<RateVerdict>
  /** Takes one back, which then counts for nothing. */
  giveBack(key: string, limit: RateLimit): Promise<void>
  /** Whether anything counts under a key now. */
  isCounted(key: string): Promise<boolean>
  /** Forgets all of a key. */
  forget(key: string): Promise<void>
}

const MAX_KEYS = 100_000

export function createMemoryRateLimits(clock: Clock): RateLimitStore {
  /** Theoretical arrival times, those touched last at the end. */
  const arrivals = new Map<string, number>()
  const set = (key: string, atMs: number) => {
    arrivals.delete(key)
    arrivals.set(key, atMs)
    if (arrivals.size > MAX_KEYS) arrivals.delete(arrivals.keys().next().value as string)
  }
  return {
    async take(key, limit) {
      const nowMs = clock.monotonicMs()
      const { verdict, arrivalMs } = judgeRate(arrivals.get(key) ?? 0, nowMs, limit)
      if (verdict.allowed) set(key, arrivalMs)
      return verdict
    },
    async giveBack(key, limit) {
      const arrivalMs = arrivals.get(key)
      if (arrivalMs !== undefined) set(key, arrivalMs - limit.windowMs / limit.requests)
    },
    async isCounted(key) {
      return (arrivals.get(key) ?? 0) > clock.monotonicMs()
    },
    async forget(key) {
      arrivals.delete(key)
    },
  }
}

export function judgeRate(storedMs: number, nowMs: number, { requests, windowMs }: RateLimit): { verdict: RateVerdict; arrivalMs: number } {
  const intervalMs = windowMs / requests
  const fromMs = Math.max(storedMs, nowMs)
  const arrivalMs = fromMs + intervalMs
  // a millionth of a request, since the sums are of fractions
  const overMs = arrivalMs - nowMs - windowMs - intervalMs * 1e-6
  if (overMs > 0)
    return { verdict: { allowed: false, remaining: 0, resetMs: fromMs - nowMs, retryAfterMs: Math.ceil(overMs) }, arrivalMs: fromMs }
  const remaining = Math.max(0, Math.floor((windowMs - (arrivalMs - nowMs)) / intervalMs + 1e-6))
  return { verdict: { allowed: true, remaining, resetMs: arrivalMs - nowMs, retryAfterMs: 0 }, arrivalMs }
}
