import type { Address } from '@keelson/primitives'
import { type IpNetwork, retryAfter } from '@keelson/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseRecipient } from '../claims/recipient.ts'
import { type Answer, timeText } from './answers.ts'
import { type Caller, callerOf } from './caller.ts'

export interface RequestsDependencies {
  readonly account: Address
  readonly trustedProxies: readonly IpNetwork[]
  nextClaimAtMs(subscriber: string): number
}

export class Requests {
  readonly #deps: RequestsDependencies
  readonly #callers = new WeakMap<FastifyRequest, Caller>()

  constructor(deps: RequestsDependencies) {
    this.#deps = deps
  }

  caller(request: FastifyRequest): Caller {
    const known = this.#callers.get(request)
    if (known !== undefined) return known
    const caller = callerOf(request.socket.remoteAddress, request.headers['x-forwarded-for'], this.#deps.trustedProxies)
    this.#callers.set(request, caller)
    return caller
  }

  refusal(request: FastifyRequest, status: number, code: string, error: string, retryAfterMs: number | null = null): Answer {
    const nextClaimTime = timeText(this.#deps.nextClaimAtMs(this.caller(request).subscriber))
    return { status, body: { success: false, error, code, nextClaimTime }, retryAfterMs }
  }

  recipient(request: FastifyRequest, text: string): Address | Answer {
    const found = parseRecipient(text, this.#deps.account)
    return found.ok ? found.address : this.refusal(request, 400, found.reason, found.text)
  }
}

export function send(reply: FastifyReply, { status, body, retryAfterMs }: Answer): FastifyReply {
  if (retryAfterMs !== null) reply.header('retry-after', retryAfter(retryAfterMs))
  return reply.code(status).send(body)
}
