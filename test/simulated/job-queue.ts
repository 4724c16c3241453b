/** Jobs that always run, then further ones while another is likely to end within the limit. */
export class JobQueue<T> {
  readonly #fixed: Iterator<T>
  readonly #further: Iterator<T>
  readonly #limitMs: number
  #longestMs = 0

  constructor(fixed: Iterable<T>, further: Iterable<T>, limitMs: number) {
    this.#fixed = fixed[Symbol.iterator]()
    this.#further = further[Symbol.iterator]()
    this.#limitMs = limitMs
  }

  /** `elapsedMs`: since the start of all. Null if no job is left, or no further one fits. */
  next(elapsedMs: number): T | null {
    const fixed = this.#fixed.next()
    if (fixed.done !== true) return fixed.value
    if (elapsedMs + this.#longestMs > this.#limitMs) return null
    const further = this.#further.next()
    return further.done === true ? null : further.value
  }

  took(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms)
  }
}
