import { createHost, type Host, type SimulatedWorld } from './host.ts'

/** The batcher or the proposer on a machine of its own. */
export class SimulatedSubmitter {
  readonly name: string
  readonly #world: SimulatedWorld
  readonly #begin: (host: Host) => Promise<unknown>
  #host: Host | null = null

  constructor(world: SimulatedWorld, name: string, begin: (host: Host) => Promise<unknown>) {
    this.name = name
    this.#world = world
    this.#begin = begin
  }

  start(): void {
    if (this.#host !== null) return
    const host = createHost(this.#world, this.name, this.name)
    this.#host = host
    host.process.after(0, 'start', () => void this.#begin(host).catch((error: unknown) => this.#world.simulation.fail(error)))
  }

  kill(): void {
    this.#host?.process.kill()
    this.#host = null
  }
}
