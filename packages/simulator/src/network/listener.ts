/** A port of a process. Once closed, it refuses connections while the process still runs, as a server that stops does. */
import type { SimProcess } from '../core/sim-process.ts'

/** The grace period of the production servers, which then close the remaining connections. */
const DRAIN_MS = 1_000

export class Listener {
  readonly process: SimProcess
  #open = true
  #answering = 0
  #drained: () => void = () => undefined

  constructor(process: SimProcess) {
    this.process = process
  }

  /** Whether the port accepts a new connection. */
  get accepts(): boolean {
    return this.#open && this.process.alive
  }

  /** Counts the request until its answer is there. */
  answer<T>(run: () => Promise<T>): Promise<T> {
    const answer = run()
    this.#answering++
    const done = () => {
      if (--this.#answering === 0) this.#drained()
    }
    answer.then(done, done)
    return answer
  }

  /** Resolves when all requests are answered, but does not wait longer than a server does. */
  close(): Promise<void> {
    this.#open = false
    if (this.#answering === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.process.after(DRAIN_MS, 'drain', resolve)
      this.#drained = () => {
        cancel()
        resolve()
      }
    })
  }
}
