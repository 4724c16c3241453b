/** Bounds the answers that wait for their readers, by caller and in total. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ByteBudget } from './byte-budget.ts'

/** Answers up to this size are not counted: the limits of connections bound them. */
const FREE_BYTES = 16 * 1024

/** Thrown for an answer without room. `statusCode` is read by Fastify. */
export class AnswersFullError extends Error {
  readonly statusCode = 503
  constructor() {
    super('too many large answers wait for their readers; read those of this address, or retry later')
  }
}

export class AnswerMemory {
  readonly #budget: ByteBudget
  readonly #held = new WeakMap<ServerResponse, number>()

  constructor(budget: ByteBudget) {
    this.#budget = budget
  }

  /**
   * Raises what an answer holds to `bytes`, until it is sent or its connection closes. Returns false, and holds nothing more, when
   * there is no room. A null caller has no share of its own.
   */
  hold(response: ServerResponse, caller: string | null, bytes: number): boolean {
    const before = this.#held.get(response)
    const more = bytes - (before ?? 0)
    if (bytes <= FREE_BYTES || more <= 0 || response.closed) return true
    if (!this.#budget.tryTake(more, caller)) return false
    this.#held.set(response, bytes)
    if (before === undefined) this.#releaseLater(response, caller)
    return true
  }

  /** As `hold`, for the payload of a Fastify hook. Throws AnswersFullError. */
  holdPayload(response: ServerResponse, caller: string | null, payload: unknown): void {
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : payload instanceof Uint8Array ? payload.length : 0
    if (!this.hold(response, caller, bytes)) throw new AnswersFullError()
  }

  #releaseLater(response: ServerResponse, caller: string | null): void {
    // A pipelined answer behind another one has no socket yet, and emits nothing when the connection closes.
    const socket = (response.req as { readonly socket?: Socket }).socket
    const release = () => {
      response.off('close', release)
      socket?.off('close', release)
      this.#budget.release(this.#held.get(response) ?? 0, caller)
      this.#held.delete(response)
    }
    response.once('close', release)
    socket?.once('close', release)
  }
}
