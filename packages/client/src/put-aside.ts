/** Suspends a failing source: delays double with jitter, and respect Retry-After. */
import type { Clock, Random } from '@keelson/primitives'
import { ClientError } from './client-error.ts'

export interface Resting {
  /** Null while in service. */
  aside: { readonly sinceMs: number; readonly untilMs: number } | null
  /** Consecutive suspensions. */
  times: number
  backAtMs: number
}

const MAX_DELAY_MS = 300_000

export function inService(): Resting {
  return { aside: null, times: 0, backAtMs: Number.NEGATIVE_INFINITY }
}

/** Returns the delay in milliseconds, `baseMs` at first. It doubles when the source fails again soon after its return. */
export function putAside(resting: Resting, baseMs: number, error: unknown, { clock, random }: { clock: Clock; random: Random }): number {
  const nowMs = clock.nowMs()
  const soon = resting.aside !== null || nowMs - resting.backAtMs < Math.min(MAX_DELAY_MS, baseMs * 2 ** (resting.times + 2))
  resting.times = soon ? resting.times + 1 : 1
  const grown = Math.min(MAX_DELAY_MS, baseMs * 2 ** (resting.times - 1)) * (0.5 + random.next() / 2)
  const asked = error instanceof ClientError ? Number(error.details.retryAfterSec ?? 0) * 1000 : 0
  const delayMs = Math.round(Math.max(grown, Math.min(asked, MAX_DELAY_MS)))
  resting.aside = { sinceMs: resting.aside?.sinceMs ?? nowMs, untilMs: nowMs + delayMs }
  return delayMs
}

/** Returns the milliseconds of the suspension, or null without one. */
export function putBack(resting: Resting, nowMs: number): number | null {
  if (resting.aside === null) return null
  const afterMs = nowMs - resting.aside.sinceMs
  resting.aside = null
  resting.backAtMs = nowMs
  return afterMs
}
