import type { Clock } from '@keelson/primitives'
import { createTokenBucket, createTurnTaker, type TokenBucket, type TokenBucketOptions } from '@keelson/runtime'
import { P2pError } from '../p2p-error.ts'
import type { ResponseItems } from './block-server.ts'
import { encodeResponse, HARD_RESPONSE_BYTES, MAX_RESPONSE_ITEMS, SOFT_RESPONSE_BYTES } from './eth-messages.ts'

/** Costs are milliseconds of the thread, counted while a response is made, with a price for bytes. */
export interface ServeLimits {
  readonly perPeer: TokenBucketOptions
  readonly all: TokenBucketOptions
  /** Requests that wait; a peer with more is disconnected. */
  readonly maxWaiting: number
}

export const DEFAULT_SERVE_LIMITS: ServeLimits = {
  perPeer: { perSec: 250, burst: 500 },
  all: { perSec: 400, burst: 800 },
  maxWaiting: 64,
}

const BYTES_PER_MS = 64 * 1024
const REQUEST_MS = 0.2
/** Records read for one response, found or not. */
const MAX_LOOKUPS = 1_024

export interface ResponderDependencies {
  readonly clock: Clock
  readonly limits: ServeLimits
  /** Shared by all peers. */
  readonly shared: TokenBucket
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
    this.#budget = createTokenBucket(deps.limits.perPeer, deps.clock)
  }

  /** Throws P2pError when too many requests wait. */
  answer(responseCode: number, id: bigint, items: ResponseItems): void {
    this.run(async () => {
      const payload = encodeResponse(id, await collect(items))
      return { code: responseCode, payload }
    })
  }

  /** The same for any other response. */
  run(make: () => Promise<{ readonly code: number; readonly payload: Uint8Array }>): void {
    const { maxWaiting } = this.#deps.limits
    if (this.#waiting.length >= maxWaiting) throw new P2pError('p2p/message', `more than ${maxWaiting} requests wait`)
    this.#waiting.push(() => this.#respond(make))
    if (!this.#running) void this.#work()
  }

  stop(): void {
    this.#stopped.abort()
    this.#waiting.length = 0
  }

  async #work(): Promise<void> {
    this.#running = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // the session tells why a response could not be sent
      await next().catch(() => this.stop())
    }
    this.#running = false
  }

  async #respond(make: () => Promise<{ readonly code: number; readonly payload: Uint8Array }>): Promise<void> {
    const { clock, shared, send } = this.#deps
    const { signal } = this.#stopped
    const startMs = clock.monotonicMs()
    const { code, payload } = await make()
    const cost = REQUEST_MS + (clock.monotonicMs() - startMs) + payload.length / BYTES_PER_MS
    await this.#budget.take(cost, signal)
    await shared.take(cost, signal)
    signal.throwIfAborted()
    await send(code, payload)
  }
}

async function collect(items: ResponseItems): Promise<readonly Uint8Array[]> {
  const turn = createTurnTaker()
  const out: Uint8Array[] = []
  let bytes = 0
  let lookups = 0
  for (const item of items) {
    lookups++
    if (item !== null) {
      if (bytes + item.length > HARD_RESPONSE_BYTES) break
      out.push(item)
      bytes += item.length
    }
    if (bytes >= SOFT_RESPONSE_BYTES || out.length >= MAX_RESPONSE_ITEMS || lookups >= MAX_LOOKUPS) break
    await turn()
  }
  return out
}
