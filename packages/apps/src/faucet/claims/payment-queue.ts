/** Ensures that no claim is being sent twice at once. */
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

  take(): number | undefined {
    return this.#waiting.shift()
  }

  release(id: number): void {
    this.#held.delete(id)
  }
}
