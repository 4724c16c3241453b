/** Simulated time: one queue of events. Promises settle between two events, so nothing else decides the order. */
import { type EventLoop, replaceEventLoop } from '@keelson/runtime'
import { EventQueue, type SimEvent } from './event-queue.ts'
import { catchUncaught, forbidRealWorld } from './guard.ts'
import { MachineClock } from './machine-clock.ts'
import { promisesSettle } from './real-world.ts'
import type { Seed } from './seed.ts'
import { SimProcess } from './sim-process.ts'
import { createTrace, type Trace } from './trace.ts'

const US_PER_MS = 1000
const WORLD = 0

/** The event loop and the guard belong to the whole process. */
let running = false

export class Simulation {
  readonly seed: Seed
  readonly startMs: number
  readonly trace: Trace = createTrace()
  readonly #queue = new EventQueue()
  #nowUs: number
  #order = 0
  readonly #incarnations = new Map<string, number>()
  readonly #processes = new Map<string, SimProcess>()
  readonly #clocks = new Map<string, MachineClock>()
  #events = 0
  #current: SimProcess | null = null
  #failure: { readonly error: unknown } | null = null

  constructor(seed: Seed, startMs: number) {
    this.seed = seed
    this.startMs = startMs
    this.#nowUs = startMs * US_PER_MS
  }

  get nowMs(): number {
    return this.#nowUs / US_PER_MS
  }

  /** Events delivered so far. */
  get events(): number {
    return this.#events
  }

  /** Events that are not delivered yet, cancelled ones included. */
  get waiting(): number {
    return this.#queue.size
  }

  process(name: string): SimProcess {
    const incarnation = (this.#incarnations.get(name) ?? 0) + 1
    this.#incarnations.set(name, incarnation)
    const process = new SimProcess(this, name, incarnation)
    this.#processes.set(name, process)
    return process
  }

  /** The newest of each name, also those that were killed, in the order in which the names came. */
  get processes(): Iterable<SimProcess> {
    return this.#processes.values()
  }

  clockOf(machine: string): MachineClock {
    const clock = this.#clocks.get(machine) ?? new MachineClock(this)
    this.#clocks.set(machine, clock)
    return clock
  }

  /** Events of a killed process are dropped, those of a frozen one wait. Returns the function that cancels. */
  after(ms: number, owner: SimProcess | null, what: string, act: () => void): () => void {
    const atUs = this.#nowUs + Math.max(0, Math.round(ms * US_PER_MS))
    const tie = this.seed.tie(owner?.tieId ?? WORLD, atUs)
    const event: SimEvent = { atUs, tie, order: this.#order++, owner, what, act, cancelled: false }
    this.#queue.push(event)
    return () => {
      event.cancelled = true
    }
  }

  /** Ends the run with this error. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  /**
   * Throws what an event threw or nobody caught, GuardError when code reaches the real world, and RangeError while another
   * simulation runs.
   */
  async run(untilMs: number): Promise<void> {
    if (running) throw new RangeError('another simulation runs in this process: wait for its end')
    running = true
    const untilUs = untilMs * US_PER_MS
    const restoreLoop = replaceEventLoop(this.#loop())
    const restoreListeners = catchUncaught((error) => {
      if (this.#current?.survives(error) !== true) this.fail(error)
    })
    const restoreWorld = forbidRealWorld((error) => this.fail(error))
    try {
      for (let next = this.#queue.first; next !== undefined && next.atUs <= untilUs; next = this.#queue.first) {
        this.#queue.pop()
        if (this.#deliver(next)) await promisesSettle()
        if (this.#failure !== null) throw this.#failure.error
      }
      this.#nowUs = untilUs
    } finally {
      running = false
      this.#current = null
      restoreWorld()
      restoreListeners()
      restoreLoop()
    }
  }

  #deliver(event: SimEvent): boolean {
    const { owner } = event
    if (event.cancelled || owner?.alive === false) return false
    this.#nowUs = event.atUs
    if (owner?.holds(event)) return false
    this.#events++
    this.#current = owner
    this.trace.note(event.atUs, owner?.name ?? 'world', event.what)
    try {
      event.act()
    } catch (error) {
      if (owner?.survives(error) !== true) throw error
    }
    return true
  }

  /** A turn belongs to the process whose event is delivered. */
  #loop(): EventLoop {
    return {
      nextTurn: () => new Promise((resolve) => this.after(0, this.#current, 'turn', resolve)),
      monotonicMs: () => this.nowMs - this.startMs,
      after: (ms, act) => this.after(ms, this.#current, 'timer', act),
    }
  }
}
