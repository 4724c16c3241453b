const STEP_BYTES = 256 * 1024

export class StepBudget {
  #left = STEP_BYTES

  spend(bytes: number): boolean {
    this.#left -= bytes
    if (this.#left > 0) return false
    this.#left = STEP_BYTES
    return true
  }
}
