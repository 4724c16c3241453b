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
    // A loss during the wait counts as long, because the others had no time to report.
    this.#lostSinceMs ??= this.lasts ? Number.NEGATIVE_INFINITY : this.#clock.monotonicMs()
  }

  /** Returns whether a long loss ended now. */
  noteAnswered(): boolean {
    const wasLong = this.#isLong
    this.#lostSinceMs = null
    if (wasLong) this.#waitsUntilMs = this.#clock.monotonicMs() + REPORT_MS
    return wasLong
  }

  noteAllReported(): void {
    this.#waitsUntilMs = Number.NEGATIVE_INFINITY
  }

  get #isLong(): boolean {
    return this.#lostSinceMs !== null && this.#clock.monotonicMs() - this.#lostSinceMs > LONG_LOSS_MS
  }
}
