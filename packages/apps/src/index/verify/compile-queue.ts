import type { Clock } from '@keelson/primitives'
import { DeadlineError, withDeadline } from '@keelson/runtime'
import { type CompiledContract, type CompileOutcome, compileInProcess } from './compile-process.ts'
import type { StandardInput } from './standard-input.ts'
import { VerifyRefusal } from './verify-refusal.ts'

export interface Compilation {
  /** The name of the caller that pays for the processor time. */
  readonly caller: string
  /** Path of the compiler's module. */
  readonly compiler: string
  readonly input: StandardInput
  readonly file: string
  readonly name: string
}

export interface CompileQueue {
  /** Throws VerifyRefusal `busy`. */
  refuseWhenFull(caller: string): void
  /** Calls `paid` with the processor time used, also when it throws. Throws VerifyRefusal, or the signal's reason. */
  compile(compilation: Compilation, paid: (cpuMs: number) => void, signal: AbortSignal): Promise<CompiledContract>
}

const MAX_WAITING = 32
const MAX_WAITING_OF_CALLER = 2
/** Processor time of one compilation. */
export const COMPILE_CPU_MS = 30_000
/** The compiler has a low priority, so it may get little of a busy machine. */
export const COMPILE_LIMIT_MS = 80_000
const MAX_WAIT_MS = 120_000
export const LONGEST_WAIT_MS = MAX_WAIT_MS + COMPILE_LIMIT_MS
const RETRY_AFTER_SEC = 30
/** After this time, half of what a caller used is forgotten. */
const HALF_LIFE_MS = 300_000
const MAX_CALLERS = 10_000

interface Waiting {
  readonly caller: string
  readonly size: number
  readonly sinceMs: number
  start(): void
  refuse(refusal: unknown): void
}

interface Used {
  readonly cpuMs: number
  readonly atMs: number
}

/**
 * Compiles one input at a time. A request is refused, waits, or compiles. It waits while another compiles, up to `MAX_WAIT_MS`; a
 * caller may have `MAX_WAITING_OF_CALLER` requests that wait. When a compilation ends, the next is the smallest request of the caller
 * that used the least processor time recently, so that neither many requests nor large ones keep others waiting. When the queue is
 * full, a request of such a caller takes the place of the last one in line, which is refused. Every compilation is charged, whatever
 * its outcome, and the next one starts only after the process of the one before has ended.
 */
export function createCompileQueue(clock: Pick<Clock, 'sleep' | 'monotonicMs'>): CompileQueue {
  return new FairCompileQueue(clock)
}

class FairCompileQueue implements CompileQueue {
  readonly #clock: Pick<Clock, 'sleep' | 'monotonicMs'>
  readonly #used = new Map<string, Used>()
  #waiting: Waiting[] = []
  #isCompiling = false

  constructor(clock: Pick<Clock, 'sleep' | 'monotonicMs'>) {
    this.#clock = clock
  }

  refuseWhenFull(caller: string): void {
    if (this.#waiting.filter((one) => one.caller === caller).length >= MAX_WAITING_OF_CALLER) throw busy()
    // A caller that used less takes the place of the last request in line.
    if (this.#waiting.length >= MAX_WAITING && this.#usedBy(caller) >= Math.max(...this.#waiting.map((one) => this.#usedBy(one.caller))))
      throw busy()
  }

  async compile(compilation: Compilation, paid: (cpuMs: number) => void, signal: AbortSignal): Promise<CompiledContract> {
    const { caller } = compilation
    this.refuseWhenFull(caller)
    if (this.#isCompiling) await this.#turn(compilation, signal)
    this.#isCompiling = true
    try {
      return await this.#compileNow(compilation, paid, signal)
    } finally {
      this.#isCompiling = false
      this.#startNext()
    }
  }

  #turn({ caller, input }: Compilation, signal: AbortSignal): Promise<void> {
    const size = Object.values(input.sources).reduce((sum, { content }) => sum + content.length, 0)
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', onAbort)
        this.#waiting = this.#waiting.filter((one) => one !== entry)
      }
      const entry: Waiting = {
        caller,
        size,
        sinceMs: this.#clock.monotonicMs(),
        start: () => {
          leave()
          // Set here, because `resolve` continues later and another request could start before.
          this.#isCompiling = true
          resolve()
        },
        refuse: (refusal) => {
          leave()
          reject(refusal)
        },
      }
      const onAbort = () => entry.refuse(signal.reason)
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(entry)
      if (this.#waiting.length > MAX_WAITING) this.#inOrder().at(-1)?.refuse(busy())
    })
  }

  #startNext(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const one of this.#inOrder()) {
      if (nowMs - one.sinceMs <= MAX_WAIT_MS) {
        one.start()
        return
      }
      one.refuse(busy())
    }
  }

  #inOrder(): readonly Waiting[] {
    return [...this.#waiting].sort((a, b) => this.#usedBy(a.caller) - this.#usedBy(b.caller) || a.size - b.size || a.sinceMs - b.sinceMs)
  }

  #usedBy(caller: string): number {
    const used = this.#used.get(caller)
    return used === undefined ? 0 : used.cpuMs * 0.5 ** ((this.#clock.monotonicMs() - used.atMs) / HALF_LIFE_MS)
  }

  #charge(caller: string, cpuMs: number): void {
    const sum = this.#usedBy(caller) + cpuMs
    this.#used.delete(caller)
    this.#used.set(caller, { cpuMs: sum, atMs: this.#clock.monotonicMs() })
    if (this.#used.size > MAX_CALLERS) this.#used.delete(this.#used.keys().next().value as string)
  }

  async #compileNow(
    { caller, ...compilation }: Compilation,
    paid: (cpuMs: number) => void,
    signal: AbortSignal,
  ): Promise<CompiledContract> {
    let work: Promise<CompileOutcome> | undefined
    let cpuMs = COMPILE_CPU_MS
    const start = (limited: AbortSignal) => {
      work = compileInProcess({ ...compilation, maxCpuMs: COMPILE_CPU_MS }, limited)
      return work
    }
    try {
      const outcome = await withDeadline(start, { clock: this.#clock, ms: COMPILE_LIMIT_MS, signal })
      cpuMs = outcome.cpuMs
      if ('contract' in outcome) return outcome.contract
      if ('limit' in outcome) throw overLimit(outcome.limit)
      throw new VerifyRefusal('compile-failed', outcome.errors.join('\n'), 'sources that compile')
    } catch (error) {
      if (error instanceof DeadlineError) throw overLimit('time')
      throw error
    } finally {
      // After a deadline the process may still be ending.
      await work?.catch(() => undefined)
      this.#charge(caller, cpuMs)
      paid(cpuMs)
    }
  }
}

function busy(): VerifyRefusal {
  return new VerifyRefusal('busy', 'other contracts are being compiled', 'the same request later', RETRY_AFTER_SEC)
}

function overLimit(limit: string): VerifyRefusal {
  return new VerifyRefusal('compile-limit', `the compiler needs more ${limit} than it may use here`, 'a smaller or simpler contract')
}
