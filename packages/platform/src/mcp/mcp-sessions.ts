import { bytesToHex, type Clock, type Random } from '@keelson/primitives'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ApiError } from '../http/api-error.ts'
import type { SessionCaller } from '../http/route.ts'
import { Places } from '../places.ts'
import { AnswerStore } from './answer-store.ts'
import type { GuardedTransport } from './guarded-transport.ts'
import type { McpLimits } from './mcp-limits.ts'
import type { McpUser } from './tool-calls.ts'

/** `events` is the transport of protocol version 2024-11-05. */
export type McpTransportKind = 'events' | 'streamable'

export interface McpSession {
  readonly id: string
  readonly kind: McpTransportKind
  readonly transport: Transport
  readonly guard: GuardedTransport
  readonly answers: AnswerStore
}

export interface McpSessionDependencies {
  connect(user: McpUser, transport: Transport): Promise<GuardedTransport>
  readonly clock: Clock
  readonly random: Random
}

interface Entry {
  readonly session: McpSession
  readonly caller: SessionCaller | null
  readonly leave: () => void
  usedMs: number
}

const ID_BYTES = 16
const RETRY = { headers: { 'retry-after': '30' } }

export class McpSessions {
  readonly #limits: McpLimits
  readonly #deps: McpSessionDependencies
  readonly #entries = new Map<string, Entry>()
  readonly #places: Places<'all' | 'strangers' | 'owner'>

  constructor(limits: McpLimits, deps: McpSessionDependencies) {
    this.#limits = limits
    this.#places = new Places({ all: limits.sessions, strangers: limits.sessionsOfStrangers, owner: limits.sessionsOfOne })
    this.#deps = deps
  }

  get size(): number {
    return this.#entries.size
  }

  /** Throws ApiError 429 or 503 over a limit. */
  async open(kind: McpTransportKind, user: McpUser, create: (id: string, answers: AnswerStore) => Transport): Promise<McpSession> {
    const { caller, subscriber } = user
    const leave = this.#places.take(
      caller === null ? { all: '', strangers: '', owner: subscriber } : { all: '', owner: `user ${caller.userId}` },
    )
    if (leave === 'owner')
      throw new ApiError(429, `Rate limit exceeded: ${this.#limits.sessionsOfOne} sessions of the tool protocol at once; end one`, RETRY)
    if (typeof leave === 'string') throw new ApiError(503, 'Too many sessions of the tool protocol: try again in a moment', RETRY)
    try {
      const id = bytesToHex(this.#deps.random.bytes(ID_BYTES)).slice('0x'.length)
      const answers = new AnswerStore(this.#limits)
      const transport = create(id, answers)
      const session = { id, kind, transport, answers, guard: await this.#deps.connect(user, transport) }
      this.#entries.set(id, { session, caller, leave, usedMs: this.#deps.clock.monotonicMs() })
      return session
    } catch (error) {
      leave()
      throw error
    }
  }

  /** Hides that another caller's session exists. */
  find(kind: McpTransportKind, id: string, caller: SessionCaller | null): McpSession | null {
    const entry = this.#entries.get(id)
    if (entry?.session.kind !== kind || !isSame(entry.caller, caller)) return null
    entry.usedMs = this.#deps.clock.monotonicMs()
    return entry.session
  }

  end({ id, guard }: McpSession): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    entry.leave()
    void guard.close()
  }

  drop(sessionId: string): void {
    for (const { session, caller } of [...this.#entries.values()]) if (caller?.sessionId === sessionId) this.end(session)
  }

  /** Keeps sessions with a request in progress. */
  sweep(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const entry of [...this.#entries.values()]) {
      if (entry.session.guard.asked > 0) entry.usedMs = nowMs
      else if (nowMs - entry.usedMs >= this.#limits.idleMs) this.end(entry.session)
    }
  }

  stop(): void {
    for (const { session } of [...this.#entries.values()]) this.end(session)
  }
}

function isSame(a: SessionCaller | null, b: SessionCaller | null): boolean {
  return a === null || b === null ? a === b : a.sessionId === b.sessionId && a.userId === b.userId
}
