import type { Clock, Logger } from '@keelson/primitives'
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'
import { P2pError } from '../p2p-error.ts'
import { createServeTime, type ServeTime } from './serve-time.ts'
import type { Serving } from './serving.ts'

/** Milliseconds of the thread, counted while a response is made, with a price for bytes. */
const PEER_BUDGET: TokenBucketOptions = { perSec: 250, burst: 500 }
const BYTES_PER_MS = 64 * 1024
const REQUEST_MS = 0.2
/** Bounds the log, too. */
const FAILURE_MS = 100

export interface ResponderDependencies {
  readonly clock: Clock
  readonly serving: Serving
  readonly log: Logger
  /** Requests that wait; a peer with more is disconnected. */
  readonly maxWaiting: number
  send(code: number, payload: Uint8Array): Promise<void>
}

/** Answers the requests of one peer in their order, as fast as its budget allows. */
export class Responder {
  readonly #deps: ResponderDependencies
  readonly #budget: TokenBucket
  readonly #waiting: (() => Promise<void>)[] = []
  #running = false
  readonly #stopped = new AbortController()

  constructor(deps: ResponderDependencies) {
    this.#deps = deps
    this.#budget = createTokenBucket(PEER_BUDGET, deps.clock)
  }

  /** Throws P2pError when too many requests wait. */
  answer(code: number, make: (time: ServeTime) => Promise<Uint8Array>): void {
    const { maxWaiting } = this.#deps
    if (this.#waiting.length >= maxWaiting) throw new P2pError('p2p/message', `more than ${maxWaiting} requests wait`)
    this.#waiting.push(() => this.#respond(code, make))
    if (!this.#running) void this.#work()
  }

  stop(): void {
    this.#stopped.abort()
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    this.#running = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // Only the end of the session rejects.
      await next().catch(() => this.stop())
    }
    this.#running = false
  }

  async #respond(code: number, make: (time: ServeTime) => Promise<Uint8Array>): Promise<void> {
    const { clock, serving, send } = this.#deps
    const { payload, ms } = await serving.place.run(async () => {
      const time = createServeTime(clock)
      const made = await make(time).catch((error: unknown) => this.#failed(code, error))
      return { payload: made, ms: time.usedMs }
    })
    const cost = REQUEST_MS + ms + (payload === null ? FAILURE_MS : payload.length / BYTES_PER_MS)
    const { signal } = this.#stopped
    await this.#budget.take(cost, signal)
    await serving.budget.take(cost, signal)
    signal.throwIfAborted()
    if (payload !== null) await send(code, payload)
  }

  #failed(code: number, error: unknown): null {
    this.#deps.log.warn('a request of a peer could not be answered', { code, error })
    return null
  }
}
