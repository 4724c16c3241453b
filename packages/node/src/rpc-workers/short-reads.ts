/**
 * On a busy machine, a thread of the lowest priority waits tens of milliseconds. A long read stops here and runs again at that
 * priority.
 */
import type { ReadMethod, ReadRun, ReadRunner } from '@keelson/execution'
import type { ClientShares } from './client-shares.ts'

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
  readonly #shares: ClientShares
  readonly #isMachineBusy: () => boolean

  constructor(short: ShortReadRunner, others: LongReadRunner, shares: ClientShares, isMachineBusy: () => boolean) {
    this.#short = short
    this.#others = others
    this.#shares = shares
    this.#isMachineBusy = isMachineBusy
  }

  get threads(): number {
    return this.#others.threads
  }

  async run(method: ReadMethod, params: readonly unknown[], read: ReadRun): Promise<unknown> {
    const { client, took } = read
    if (!this.#takesNow(method, client)) return this.#others.run(method, params, read)
    let spentMs = 0
    const spend = (ms: number) => {
      spentMs = ms
      this.#shares.spend(client, ms)
    }
    try {
      const result = await this.#short.run(method, params, { ...read, took: spend })
      took?.(spentMs)
      return result
    } catch (error) {
      if (error instanceof LongReadError) return this.#others.run(method, params, { ...read, took: (ms) => took?.(spentMs + ms) })
      took?.(spentMs)
      throw error
    }
  }

  #takesNow(method: ReadMethod, client: string | null): boolean {
    if (!SHORT_READS.has(method) || !this.#shares.isLeft(client)) return false
    return this.#short.reads < MANY_READS || !this.#others.isIdle || this.#isMachineBusy()
  }
}
