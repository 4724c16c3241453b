/** The clock of a machine: it survives processes, may differ from simulated time, and may run fast or slow. */
export class MachineClock {
  /** Milliseconds by which the wall clock is ahead. A change is a jump. */
  skewMs = 0
  readonly #startMs: number
  readonly #simulatedMs: () => number
  #rate = 1
  #sinceMs: number
  #elapsedMs = 0
  /** Undoes what the wall clock gained or lost by drift. */
  #correctionMs = 0

  constructor(simulation: { readonly startMs: number; readonly nowMs: number }) {
    this.#startMs = simulation.startMs
    this.#sinceMs = simulation.startMs
    this.#simulatedMs = () => simulation.nowMs
  }

  /** Milliseconds since the start of the simulation, as this machine measures them; it never goes back. */
  get monotonicMs(): number {
    return this.#elapsedMs + (this.#simulatedMs() - this.#sinceMs) * this.#rate
  }

  get nowMs(): number {
    return Math.floor(this.#startMs + this.monotonicMs + this.#correctionMs + this.skewMs)
  }

  /** From now on the clock gains so many microseconds a second; a negative number loses them. */
  drift(partsPerMillion: number): void {
    this.#elapsedMs = this.monotonicMs
    this.#sinceMs = this.#simulatedMs()
    this.#rate = 1 + partsPerMillion / 1e6
  }

  /** Sets the wall clock as a time server does: what it gained or lost by drift is gone, the skew stays. */
  synchronize(): void {
    this.#correctionMs = this.#simulatedMs() - this.#startMs - this.monotonicMs
  }

  /** Simulated milliseconds that pass while this clock measures `ms`. */
  simulatedMs(ms: number): number {
    return ms / this.#rate
  }
}
