/** A process of a simulated machine: its clock and its turns, until it is killed. */
import type { Clock, Random } from '@keelson/primitives'
import type { SimEvent } from './event-queue.ts'
import type { Simulation } from './simulation.ts'

export class SimProcess {
  readonly name: string
  /** Orders events at one time. */
  readonly tieId: number
  readonly clock: Clock
  readonly random: Random
  /** Gets what the process throws and nobody catches. Returns false if that ends the run. */
  survives: (error: unknown) => boolean = () => false
  #alive = true
  #frozen: SimEvent[] | null = null
  readonly #simulation: Simulation
  readonly #killListeners = new Set<() => void>()

  /** `name` is the machine's name, a slash and the role's. A process that is started again has the next `incarnation`. */
  constructor(simulation: Simulation, name: string, incarnation: number) {
    const { seed } = simulation
    const machine = simulation.clockOf(name.split('/')[0] as string)
    this.#simulation = simulation
    this.name = name
    this.tieId = seed.number(`tie ${name} ${incarnation}`)
    this.random = seed.random(`process ${name} ${incarnation}`)
    this.clock = {
      nowMs: () => machine.nowMs,
      monotonicMs: () => machine.monotonicMs,
      sleep: (ms, signal) => this.#sleep(machine.simulatedMs(ms), signal),
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
    if (!this.#alive) return
    this.#alive = false
    this.#frozen = null
    for (const act of this.#killListeners) act()
    this.#killListeners.clear()
  }

  /** `act` runs outside this process when it is killed. Returns the function that cancels. */
  onKill(act: () => void): () => void {
    this.#killListeners.add(act)
    return () => void this.#killListeners.delete(act)
  }

  freeze(): void {
    this.#frozen ??= []
  }

  thaw(): void {
    const waiting = this.#frozen ?? []
    this.#frozen = null
    for (const event of waiting) {
      this.after(0, 'thaw', () => {
        if (!event.cancelled) event.act()
      })
    }
  }

  /** Keeps an event that is due while the process is frozen. Returns false when the process runs. */
  holds(event: SimEvent): boolean {
    this.#frozen?.push(event)
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
