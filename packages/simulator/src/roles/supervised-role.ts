/** One role on one machine: in one process at a time, which starts again after a failure, as under config/systemd. */
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import { isExpectedFailure } from './expected-failure.ts'
import type { Host } from './host.ts'

/** RestartSec of config/systemd, whose units restart without limit. */
export const RESTART_MS = 5_000

export interface MayFail {
  /** Rejects when the process must end. */
  readonly failure?: Promise<never>
}

export interface RoleStarter<T> {
  readonly simulation: Simulation
  open(): Host
  start(host: Host): Promise<T>
  /** Whether any failure is explained, for example by damaged values on the disk. */
  mayBreak?(): boolean
  /** Called when a process that had started ends. */
  ended?(role: T): void
}

interface Running<T> {
  readonly process: SimProcess
  /** Null while it starts. */
  role: T | null
}

export class SupervisedRole<T extends MayFail> {
  /** Restarts after failures. */
  restarts = 0
  readonly #starter: RoleStarter<T>
  #running: Running<T> | null = null
  #cancelRestart: (() => void) | null = null

  constructor(starter: RoleStarter<T>) {
    this.#starter = starter
  }

  /** Null unless it runs and has started. */
  get role(): T | null {
    return this.#running?.role ?? null
  }

  get process(): SimProcess | null {
    return this.#running?.process ?? null
  }

  start(): void {
    if (this.#running !== null) return
    this.#forgetRestart()
    const host = this.#starter.open()
    const running: Running<T> = { process: host.process, role: null }
    this.#running = running
    host.process.survives = (error) => {
      if (this.#starter.mayBreak?.() !== true) return false
      this.#failed(running, host, error)
      return true
    }
    host.process.after(0, 'start', () => void this.#run(running, host))
  }

  kill(): void {
    this.#forgetRestart()
    const running = this.#running
    this.#running = null
    if (running === null) return
    if (running.role !== null) this.#starter.ended?.(running.role)
    running.process.kill()
  }

  /** Returns the function that lets it run again; null if it does not run. */
  freeze(): (() => void) | null {
    const process = this.#running?.process
    if (process === undefined || process.frozen) return null
    process.freeze()
    return () => process.thaw()
  }

  async #run(running: Running<T>, host: Host): Promise<void> {
    try {
      running.role = await this.#starter.start(host)
      await running.role.failure
    } catch (error) {
      this.#failed(running, host, error)
    }
  }

  #failed(running: Running<T>, { log }: Host, error: unknown): void {
    const { simulation } = this.#starter
    if (this.#running !== running) return
    if (!isExpectedFailure(error) && this.#starter.mayBreak?.() !== true) {
      simulation.fail(error)
      return
    }
    log.error(`the process ends; another starts in ${RESTART_MS} ms`, { error })
    this.kill()
    this.#cancelRestart = simulation.after(RESTART_MS, null, 'restart', () => {
      this.restarts++
      this.start()
    })
  }

  #forgetRestart(): void {
    this.#cancelRestart?.()
    this.#cancelRestart = null
  }
}
