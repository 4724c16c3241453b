/** Bounds the bodies of verifications in memory, of all callers and of each. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { VerifyRefusal } from '../../verify/verify-refusal.ts'

const MAX_UPLOADS = 16
const MAX_UPLOADS_PER_CALLER = 2
const RETRY_AFTER_SEC = 30

export class UploadSlots {
  readonly #nameOf: (request: FastifyRequest) => string
  readonly #byCaller = new Map<string, number>()
  readonly #leaving = new WeakMap<FastifyRequest, () => void>()
  readonly #kept = new WeakSet<FastifyRequest>()
  #total = 0

  constructor(nameOf: (request: FastifyRequest) => string) {
    this.#nameOf = nameOf
  }

  /** Called before the body is read. The slot is free again after the response. Throws VerifyRefusal `busy`. */
  enter(request: FastifyRequest, reply: FastifyReply): void {
    const caller = this.#nameOf(request)
    const mine = this.#byCaller.get(caller) ?? 0
    if (this.#total >= MAX_UPLOADS || mine >= MAX_UPLOADS_PER_CALLER)
      throw new VerifyRefusal('busy', 'other contracts are being verified', 'the same request later', RETRY_AFTER_SEC)
    this.#total++
    this.#byCaller.set(caller, mine + 1)
    let isFree = false
    const leave = () => {
      if (isFree) return
      isFree = true
      this.#total--
      const left = (this.#byCaller.get(caller) ?? 1) - 1
      if (left > 0) this.#byCaller.set(caller, left)
      else this.#byCaller.delete(caller)
    }
    this.#leaving.set(request, leave)
    reply.raw.once('close', () => {
      if (!this.#kept.has(request)) leave()
    })
  }

  /** Keeps the slot after the response, while the verification runs. The caller frees it with the returned function. */
  keep(request: FastifyRequest): () => void {
    this.#kept.add(request)
    return this.#leaving.get(request) ?? (() => undefined)
  }
}
