/** Bytes of output per decompression step; a few milliseconds of work for the slowest streams. */
const STEP_BYTES = 256 * 1024

/** Decides when a decoder pauses. */
export class StepBudget {
  #left = STEP_BYTES

  /** Returns true when the step is over; the next one begins with a full budget. */
  spend(bytes: number): boolean {
    this.#left -= bytes
    if (this.#left > 0) return false
    this.#left = STEP_BYTES
    return true
  }
}
