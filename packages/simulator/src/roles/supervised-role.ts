/** One role on one machine: in one process at a time, which starts again after a failure, as under config/systemd. */
import type { SimProcess } from '../core/sim-process.ts'
import type { Simulation } from '../core/simulation.ts'
import { isExpectedFailure } from './expected-failure.ts'
import type { Host } from './host.ts'

/** RestartSec of config/systemd, whose units restart without limit. */
export const RESTART_MS = 5_000

/** TimeoutStopSec of config/systemd. */
const STOP_TIMEOUT_MS = 60_000

export interface MayFail {
  /** Rejects when the process must end. */
  readonly failure?: Promise<never>
  /** Stops its parts, as a signal from the operator does. A role without it is killed. */
  stop?(): Promise<void>
}

export interface RoleStarter<T> {
  readonly simulation: Simulation
  open(): Host
  start(host: Host): Promise<T>
  /** Whether any failure is explained, for example by damaged values on the disk. */
  mayBreak?(): boolean
  /** Whether no other process may start after this failure, as with RestartPreventExitStatus of config/systemd. */
  endsForGood?(error: unknown): boolean
  /** Called when a process that had started ends. */
  ended?(role: T): void
}

interface Running<T> {
  readonly process: SimProcess
  /** Null while it starts. */
  role: T | null
  stopping: boolean
  /** Whether another process follows the one that stops. */
  startsAgain: boolean
}

export class SupervisedRole<T extends MayFail> {
  /** Restarts after failures. */
  restarts = 0
  readonly #starter: RoleStarter<T>
  #running: Running<T> | null = null
  #cancelRestart: (() => void) | null = null
  #isOver = false

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

  /** Waits for a process that is still stopping. */
  start(): void {
    if (this.#running?.stopping === true) this.#running.startsAgain = true
    if (this.#running !== null || this.#isOver) return
    this.#forgetRestart()
    const host = this.#starter.open()
    const running: Running<T> = { process: host.process, role: null, stopping: false, startsAgain: false }
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

  /** Ends the process as its operator does. One that still starts is killed, and one that does not end in time. */
  stop(): void {
    this.#forgetRestart()
    const running = this.#running
    if (running === null) return
    const { process, role } = running
    if (role?.stop === undefined) {
      this.kill()
      return
    }
    running.startsAgain = false
    if (running.stopping) return
    running.stopping = true
    const cancelTimeout = this.#starter.simulation.after(STOP_TIMEOUT_MS, null, 'stop timeout', () => this.#stopped(running))
    process.onKill(cancelTimeout)
    process.after(0, 'stop', () => void role.stop?.().then(() => this.#stopped(running)))
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

  #stopped(running: Running<T>): void {
    if (this.#running !== running) return
    this.kill()
    if (running.startsAgain) this.start()
  }

  #failed(running: Running<T>, { log }: Host, error: unknown): void {
    const { simulation } = this.#starter
    if (this.#running !== running) return
    if (this.#starter.endsForGood?.(error) === true) {
      log.error('the process ends, and no other starts', { error })
      this.#isOver = true
      this.kill()
      return
    }
    if (!isExpectedFailure(error) && this.#starter.mayBreak?.() !== true) {
      simulation.fail(error)
      return
    }
    if (running.stopping) {
      this.#stopped(running)
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
