/** A proposal that reverts is paid for, so each further one in a row waits twice as long. */
import type { Clock } from '@keelson/primitives'
import type { ProposerError } from './errors.ts'

const LONGEST_MS = 600_000

export class RevertPause {
  readonly #pollIntervalMs: number
  readonly #clock: Clock
  #count = 0
  #untilMs = 0
  #last: ProposerError | null = null

  constructor(pollIntervalMs: number, clock: Clock) {
    this.#pollIntervalMs = pollIntervalMs
    this.#clock = clock
  }

  /** Throws the last revert while no proposal may be sent. */
  check(): void {
    if (this.#last !== null && this.#clock.monotonicMs() < this.#untilMs) throw this.#last
  }

  /** The first revert is usually a reorg of L1 or another proposer, so it is retried at once. */
  add(revert: ProposerError): ProposerError {
    this.#count++
    const pauseMs = this.#count === 1 ? 0 : Math.min(LONGEST_MS, this.#pollIntervalMs * 2 ** this.#count)
    this.#untilMs = this.#clock.monotonicMs() + pauseMs
    this.#last = revert
    return revert
  }

  clear(): void {
    this.#count = 0
    this.#last = null
  }
}
