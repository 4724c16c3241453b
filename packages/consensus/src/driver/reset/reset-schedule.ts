import type { Clock } from '@keelson/primitives'
import { type BackOff, createBackOff } from '../../back-off.ts'
import type { DegradedStates } from '../../degraded-states.ts'
import { RESET_AT_START, type ResetReason } from './reset-reason.ts'

const SAME_IS_ALARM = 2
/** Limit on all resets together, because resets whose reasons alternate make no progress either. */
const ANY_IS_ALARM = 5
const SLOW_DELAY_MS = 30_000

/** Schedules resets. When they repeat without a new safe block, it raises an alert and waits 30 s between them. */
export class ResetSchedule {
  readonly #clock: Clock
  readonly #degraded: DegradedStates
  readonly #backOff: BackOff
  readonly #seen = new Map<string, number>()
  #due: ResetReason | null = RESET_AT_START
  #holds: 'everything' | 'derivation' = 'everything'
  #highestSafe = -1
  #total = 0
  #slowUntilMs: number | null = null

  constructor(clock: Clock, degraded: DegradedStates) {
    this.#clock = clock
    this.#degraded = degraded
    this.#backOff = createBackOff(clock)
  }

  get due(): ResetReason | null {
    return this.#due
  }

  get waiting(): boolean {
    if (this.#due === null) return false
    return this.#backOff.waiting || (this.#slowUntilMs !== null && this.#clock.nowMs() < this.#slowUntilMs)
  }

  get holdsUpAll(): boolean {
    return this.#holds === 'everything' && this.waiting
  }

  get retryAtMs(): number | null {
    if (this.#due === null) return null
    if (this.#slowUntilMs === null) return this.#backOff.retryAtMs
    return Math.max(this.#slowUntilMs, this.#backOff.retryAtMs ?? 0)
  }

  /** The reset waits if the previous one made no progress. After a failed derivation it blocks only derivation. */
  ask(reason: ResetReason, holdsUp: 'everything' | 'derivation' = 'everything'): void {
    this.#due = reason
    this.#holds = holdsUp
    if (this.#total > 0) this.#backOff.failed()
    this.#total++
    const key = `${reason.kind} ${reason.subject ?? ''}`
    const same = (this.#seen.get(key) ?? 0) + 1
    if (this.#seen.has(key) || this.#seen.size < ANY_IS_ALARM) this.#seen.set(key, same)
    if (same >= SAME_IS_ALARM || this.#total >= ANY_IS_ALARM) this.#alarm(reason)
  }

  /** Schedules a reset that runs at once. */
  order(reason: ResetReason): void {
    this.#due = reason
    this.#holds = 'everything'
    this.#slowUntilMs = null
    this.#backOff.succeeded()
  }

  done(): void {
    this.#due = null
  }

  noteSafe(number: number): void {
    if (number <= this.#highestSafe) return
    this.#highestSafe = number
    this.#total = 0
    this.#seen.clear()
    this.#slowUntilMs = null
    this.#backOff.succeeded()
    this.#degraded.leave('reset')
  }

  #alarm(reason: ResetReason): void {
    this.#slowUntilMs = this.#clock.nowMs() + SLOW_DELAY_MS
    this.#degraded.enter(
      'reset',
      'derivation is reset again and again without a new safe block',
      `${this.#total} times, the last time (${reason.kind}) because: ${reason.message}`,
      'compare the L1 URL with another L1 source, and the block hashes of this node with another node; the reset is retried every 30 s',
    )
  }
}
