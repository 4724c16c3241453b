/**
 * On a busy machine, a thread of the lowest priority waits tens of milliseconds. A long read stops here and runs again at that
 * priority.
 */
import type { ReadMethod, ReadRunner } from '@keelson/execution'
import type { ProcessorShare } from './processor-share.ts'

export class LongReadError extends Error {}

export interface ShortReadRunner extends ReadRunner {
  readonly reads: number
}

export interface LongReadRunner extends ReadRunner {
  readonly isIdle: boolean
}

/** These notice in time that they are long. */
const SHORT_READS: ReadonlySet<ReadMethod> = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_getLogs'])
const MANY_READS = 4

export class ShortReads implements ReadRunner {
  readonly #short: ShortReadRunner
  readonly #others: LongReadRunner
  readonly #share: ProcessorShare

  constructor(short: ShortReadRunner, others: LongReadRunner, share: ProcessorShare) {
    this.#short = short
    this.#others = others
    this.#share = share
  }

  get threads(): number {
    return this.#others.threads
  }

  async run(...read: Parameters<ReadRunner['run']>): Promise<unknown> {
    const [method, params, limitMs, signal, took] = read
    if (!this.#takesNow(method)) return this.#others.run(...read)
    let spentMs = 0
    const spend = (ms: number) => {
      spentMs = ms
      this.#share.spend(ms)
    }
    try {
      const result = await this.#short.run(method, params, limitMs, signal, spend)
      took?.(spentMs)
      return result
    } catch (error) {
      if (error instanceof LongReadError) return this.#others.run(method, params, limitMs, signal, (ms) => took?.(spentMs + ms))
      took?.(spentMs)
      throw error
    }
  }

  #takesNow(method: ReadMethod): boolean {
    if (!SHORT_READS.has(method) || !this.#share.isLeft) return false
    return this.#short.reads < MANY_READS || !this.#others.isIdle
  }
}
