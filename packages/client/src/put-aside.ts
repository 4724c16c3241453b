/** For how long a source that is one of several is not asked after a failure: doubling, with jitter, and as long as it asks for. */
import type { Clock, Random } from '@keelson/primitives'
import { ClientError } from './client-error.ts'

export interface Resting {
  /** Null while it is in service. */
  aside: { readonly sinceMs: number; readonly untilMs: number } | null
  /** Times in a row it was put aside. */
  times: number
  backAtMs: number
}

const MAX_DELAY_MS = 300_000

export function inService(): Resting {
  return { aside: null, times: 0, backAtMs: Number.NEGATIVE_INFINITY }
}

/** Milliseconds it is put aside for, `baseMs` the first time: doubling while it fails soon after it came back, with jitter. */
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

/** Milliseconds it was aside; null when it was in service all the time. */
export function putBack(resting: Resting, nowMs: number): number | null {
  if (resting.aside === null) return null
  const afterMs = nowMs - resting.aside.sinceMs
  resting.aside = null
  resting.backAtMs = nowMs
  return afterMs
}
