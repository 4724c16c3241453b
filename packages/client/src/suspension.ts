import type { Clock, Random } from '@keelson/primitives'
import { ClientError } from './client-error.ts'

export interface Suspendable {
  suspended: { readonly sinceMs: number; readonly untilMs: number } | null
  /** Number of consecutive suspensions. */
  times: number
  backAtMs: number
}

const MAX_DELAY_MS = 300_000

export function inService(): Suspendable {
  return { suspended: null, times: 0, backAtMs: Number.NEGATIVE_INFINITY }
}

/** Returns the delay in milliseconds: `baseMs`, doubled on repetition, with jitter, or Retry-After. */
export function suspend(
  suspendable: Suspendable,
  baseMs: number,
  error: unknown,
  { clock, random }: { clock: Clock; random: Random },
): number {
  const nowMs = clock.nowMs()
  const soon =
    suspendable.suspended !== null || nowMs - suspendable.backAtMs < Math.min(MAX_DELAY_MS, baseMs * 2 ** (suspendable.times + 2))
  suspendable.times = soon ? suspendable.times + 1 : 1
  const grown = Math.min(MAX_DELAY_MS, baseMs * 2 ** (suspendable.times - 1)) * (0.5 + random.next() / 2)
  const asked = error instanceof ClientError ? Number(error.details.retryAfterSec ?? 0) * 1000 : 0
  const delayMs = Math.round(Math.max(grown, Math.min(asked, MAX_DELAY_MS)))
  suspendable.suspended = { sinceMs: suspendable.suspended?.sinceMs ?? nowMs, untilMs: nowMs + delayMs }
  return delayMs
}

export function resume(suspendable: Suspendable, nowMs: number): number | null {
  if (suspendable.suspended === null) return null
  const afterMs = nowMs - suspendable.suspended.sinceMs
  suspendable.suspended = null
  suspendable.backAtMs = nowMs
  return afterMs
}
