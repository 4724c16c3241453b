import { NodeError, type Severity } from '@keelson/primitives'
import type { Simulation } from '../core/simulation.ts'
import type { Camera } from './camera.ts'
import type { Snapshot } from './snapshot.ts'

export interface Film {
  /** Simulated milliseconds between two snapshots. */
  readonly everyMs: number
  /** Called outside the simulation, which waits for it. */
  show(snapshot: Snapshot): void | Promise<void>
}

/** A snapshot could not be shown, for example because the disk of its recording is full. The network is not to blame. */
export class FilmError extends NodeError<'simulator/film'> {
  readonly severity: Severity = 'critical'
}

/** Runs a simulation and stops it for snapshots. No event is added. */
export class FilmedRun {
  readonly #simulation: Simulation
  readonly #camera: Camera
  readonly #film: Film
  #nextMs: number

  constructor(simulation: Simulation, camera: Camera, film: Film) {
    this.#simulation = simulation
    this.#camera = camera
    this.#film = film
    this.#nextMs = simulation.startMs
  }

  /** Throws what Simulation.run throws, and FilmError. */
  async run(untilMs: number): Promise<void> {
    while (this.#nextMs <= untilMs) {
      await this.#simulation.run(this.#nextMs)
      this.#nextMs += this.#film.everyMs
      await this.end()
    }
    if (this.#simulation.nowMs < untilMs) await this.#simulation.run(untilMs)
  }

  /** Takes the last snapshot, also after a failure. Throws FilmError. */
  async end(): Promise<void> {
    const snapshot = this.#camera.take()
    try {
      await this.#film.show(snapshot)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new FilmError('simulator/film', `a snapshot of the run cannot be shown: ${reason}`, {}, { cause })
    }
  }
}
