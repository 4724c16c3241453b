/** Claims that wait to be sent or are being sent, so that none is sent twice at once. */
export class PaymentQueue {
  readonly #waiting: number[] = []
  readonly #held = new Set<number>()

  get length(): number {
    return this.#waiting.length
  }

  has(id: number): boolean {
    return this.#held.has(id)
  }

  add(id: number): void {
    if (this.#held.has(id)) return
    this.#held.add(id)
    this.#waiting.push(id)
  }

  /** Returns the next claim, which stays in the queue until it is released. */
  take(): number | undefined {
    return this.#waiting.shift()
  }

  release(id: number): void {
    this.#held.delete(id)
  }
}
