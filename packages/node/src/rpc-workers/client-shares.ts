/** A share of processor time for all clients together, of which each limited client gets a part. */
import { ProcessorShare, type ProcessorShareOptions } from './processor-share.ts'

/** One client's part of the share. */
const PART_OF_ONE = 0.25
const MAX_CLIENTS = 1_000

export class ClientShares {
  readonly #options: ProcessorShareOptions
  readonly #monotonicMs: () => number
  readonly #all: ProcessorShare
  /** Least recently used first. */
  readonly #clients = new Map<string, ProcessorShare>()

  constructor(options: ProcessorShareOptions, monotonicMs: () => number) {
    this.#options = options
    this.#monotonicMs = monotonicMs
    this.#all = new ProcessorShare(options, monotonicMs)
  }

  /** A null `client` is limited only by the common share. */
  isLeft(client: string | null): boolean {
    return this.#all.isLeft && (client === null || this.#of(client).isLeft)
  }

  spend(client: string | null, ms: number): void {
    this.#all.spend(ms)
    if (client !== null) this.#of(client).spend(ms)
  }

  #of(client: string): ProcessorShare {
    const { share, burstMs } = this.#options
    const part = { share: share * PART_OF_ONE, burstMs: burstMs * PART_OF_ONE }
    const known = this.#clients.get(client) ?? new ProcessorShare(part, this.#monotonicMs)
    this.#clients.delete(client)
    this.#clients.set(client, known)
    const oldest = this.#clients.keys().next()
    if (this.#clients.size > MAX_CLIENTS && oldest.done !== true) this.#clients.delete(oldest.value)
    return known
  }
}
