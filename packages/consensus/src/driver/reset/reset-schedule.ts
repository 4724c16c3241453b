/**
 * Resets that are due, how long to wait before each, and when they lead nowhere: the same one twice without a new
 * safe block is an alert, and from then on they come slowly.
 */
import type { Clock } from '@keelson/primitives'
import type { DegradedStates } from '../../degraded-states.ts'
import { createBackOff } from '../back-off.ts'
import { RESET_AT_START, type ResetReason } from './reset-reason.ts'

export interface Resets {
  /** Null when none is due. */
  readonly due: ResetReason | null
  /**
   * A failure asks for one; it waits when the one before has led nowhere. Where derivation asked, only derivation waits:
   * the heads are as good as they were.
   */
  ask(reason: ResetReason, holdsUp?: 'everything' | 'derivation'): void
  /** Someone asks for one who knows why: done at once, and no sign that something is wrong. */
  order(reason: ResetReason): void
  done(): void
  /** Where the safe head is now: one higher than any before ends whatever there was. */
  noteSafe(number: number): void
  readonly waiting: boolean
  /** It waits, and with it everything else. */
  readonly holdsUpAll: boolean
  readonly retryAtMs: number | null
}

const SAME_IS_ALARM = 2
/** Different ones by turns lead nowhere either. */
const ANY_IS_ALARM = 5
const SLOW_DELAY_MS = 30_000

export function createResets(clock: Clock, degraded: DegradedStates): Resets {
  const backOff = createBackOff(clock)
  /** Since the last new safe block; five at most before they all count as one. */
  const seen = new Map<string, number>()
  let due: ResetReason | null = RESET_AT_START
  let holds: 'everything' | 'derivation' = 'everything'
  let highestSafe = -1
  let total = 0
  let slowUntilMs: number | null = null

  function alarm(times: number, reason: ResetReason): void {
    slowUntilMs = clock.nowMs() + SLOW_DELAY_MS
    degraded.enter(
      'reset',
      'derivation is reset again and again without a new safe block',
      `${times} times, the last time (${reason.kind}) because: ${reason.message}`,
      'compare the L1 URL with another L1 source, and the block hashes of this node with another node; it is tried every 30 s',
    )
  }

  function isWaiting(): boolean {
    if (due === null) return false
    return backOff.waiting || (slowUntilMs !== null && clock.nowMs() < slowUntilMs)
  }

  return {
    get due() {
      return due
    },
    ask(reason, holdsUp = 'everything') {
      due = reason
      holds = holdsUp
      if (total > 0) backOff.failed()
      total++
      const key = `${reason.kind} ${reason.subject ?? ''}`
      const same = (seen.get(key) ?? 0) + 1
      if (seen.has(key) || seen.size < ANY_IS_ALARM) seen.set(key, same)
      if (same >= SAME_IS_ALARM || total >= ANY_IS_ALARM) alarm(total, reason)
    },
    order(reason) {
      due = reason
      holds = 'everything'
      slowUntilMs = null
      backOff.succeeded()
    },
    done() {
      due = null
    },
    noteSafe(number) {
      if (number <= highestSafe) return
      highestSafe = number
      total = 0
      seen.clear()
      slowUntilMs = null
      backOff.succeeded()
      degraded.leave('reset')
    },
    get waiting() {
      return isWaiting()
    },
    get holdsUpAll() {
      return holds === 'everything' && isWaiting()
    },
    get retryAtMs() {
      if (due === null) return null
      if (slowUntilMs === null) return backOff.retryAtMs
      return Math.max(slowUntilMs, backOff.retryAtMs ?? 0)
    },
  }
}
