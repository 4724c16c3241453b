import type { Clock } from '@keelson/primitives'
import { startThreadDeadline, type ThreadDeadline } from './thread-deadline.ts'

/** `maxMs` counts the thread's clock. */
export class ReadLimit {
  readonly clock: Clock
  readonly #maxMs: number
  readonly #read: AbortController
  readonly #monotonicMs: () => number
  #endMs = Number.POSITIVE_INFINITY
  #deadline: ThreadDeadline | null = null
  #isExceeded = false

  constructor(maxMs: number, clock: Clock, read: AbortController) {
    this.#maxMs = maxMs
    this.#read = read
    this.#monotonicMs = clock.monotonicMs
    this.clock = { ...clock, monotonicMs: () => this.#look() }
  }

  get isExceeded(): boolean {
    return this.#isExceeded
  }

  begin(): void {
    this.#endMs = this.#monotonicMs() + this.#maxMs
    this.#deadline = startThreadDeadline(this.#maxMs, this.#monotonicMs, () => this.#exceed())
  }

  end(): void {
    this.#deadline?.clear()
  }

  #look(): number {
    const nowMs = this.#monotonicMs()
    if (nowMs >= this.#endMs) this.#exceed()
    return nowMs
  }

  #exceed(): void {
    if (this.#read.signal.aborted) return
    this.#isExceeded = true
    this.#read.abort(new DOMException('the read is long', 'AbortError'))
  }
}
