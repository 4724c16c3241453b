/** How long nobody seals after the shared store was lost: an operator may have overridden a sequencer meanwhile. */
import type { Clock } from '@keelson/primitives'

/** In a shorter loss, such as an election in etcd, nobody overrides a sequencer. */
const LONG_LOSS_MS = 5_000
/** Time for the other conductors to report when the store answers again. */
const REPORT_MS = 2_500

export class StoreLoss {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #lostSinceMs: number | null = null
  #waitsUntilMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** From a long loss until the others have reported, or had the time to. */
  get lasts(): boolean {
    return this.#isLong || this.#clock.monotonicMs() < this.#waitsUntilMs
  }

  noteLost(): void {
    this.#lostSinceMs ??= this.#clock.monotonicMs()
  }

  /** Returns whether a long loss ended now. */
  noteAnswered(): boolean {
    const nowMs = this.#clock.monotonicMs()
    const wasLong = this.#isLong
    const lostSinceMs = this.#lostSinceMs ?? nowMs
    this.#lostSinceMs = null
    if (wasLong) this.#waitsUntilMs = nowMs + REPORT_MS
    // In a short loss during the wait the others could not report either.
    else if (lostSinceMs < this.#waitsUntilMs) this.#waitsUntilMs += nowMs - lostSinceMs
    return wasLong
  }

  noteAllReported(): void {
    this.#waitsUntilMs = Number.NEGATIVE_INFINITY
  }

  get #isLong(): boolean {
    return this.#lostSinceMs !== null && this.#clock.monotonicMs() - this.#lostSinceMs > LONG_LOSS_MS
  }
}
