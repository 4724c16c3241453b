/** A process of a simulated machine: its clock and its turns, until it is killed. */
import type { Clock, Random } from '@keelson/primitives'
import type { Simulation } from './simulation.ts'

export class SimProcess {
  readonly name: string
  /** Distinguishes processes in ties; a restarted process has another number. */
  readonly id: number
  readonly clock: Clock
  readonly random: Random
  /** Milliseconds by which this machine's clock differs. */
  skewMs = 0
  #alive = true
  #frozen: (() => void)[] | null = null
  readonly #simulation: Simulation

  constructor(simulation: Simulation, name: string, id: number) {
    this.#simulation = simulation
    this.name = name
    this.id = id
    this.random = simulation.seed.random(`process ${name} ${id}`)
    this.clock = {
      nowMs: () => Math.floor(simulation.nowMs + this.skewMs),
      monotonicMs: () => simulation.nowMs - simulation.startMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    }
  }

  get alive(): boolean {
    return this.#alive
  }

  get frozen(): boolean {
    return this.#frozen !== null
  }

  /** Nothing of this process runs again; what it sent is still on its way. */
  kill(): void {
    this.#alive = false
    this.#frozen = null
  }

  freeze(): void {
    this.#frozen ??= []
  }

  thaw(): void {
    const waiting = this.#frozen ?? []
    this.#frozen = null
    for (const act of waiting) this.after(0, 'thaw', act)
  }

  /** Keeps an event that is due while the process is frozen. Returns false when the process runs. */
  holds(act: () => void): boolean {
    this.#frozen?.push(act)
    return this.frozen
  }

  /** Returns the function that cancels. */
  after(ms: number, what: string, act: () => void): () => void {
    return this.#simulation.after(ms, this, what, act)
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = () => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.after(ms, 'timer', () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}
