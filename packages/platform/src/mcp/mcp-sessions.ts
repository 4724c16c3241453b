/** The sessions of the tool protocol: who has how many, whose one is, and when it has been idle for too long. */
import { bytesToHex, type Clock, type Random } from '@keelson/primitives'
import { ApiError } from '../http/api-error.ts'
import type { SessionCaller } from '../http/route.ts'
import { type AnswerLog, createAnswerLog } from './answer-log.ts'
import type { McpConnection } from './connection.ts'
import type { McpLimits } from './mcp-limits.ts'
import type { McpUser } from './tool-calls.ts'

/** `events`: all answers on one stream, the legacy transport; `streamable`: each where it was asked. */
export type McpTransportKind = 'events' | 'streamable'

export interface McpSession {
  readonly id: string
  readonly kind: McpTransportKind
  readonly connection: McpConnection
  readonly answers: AnswerLog
  /** Aborts with its end. */
  readonly over: AbortSignal
}

export interface McpSessions {
  /** Throws ApiError 429 or 503 when there are too many. */
  open(kind: McpTransportKind, user: McpUser): Promise<McpSession>
  /** Null for another caller's too, so that nobody learns which there are. */
  find(kind: McpTransportKind, id: string, caller: SessionCaller | null): McpSession | null
  end(session: McpSession): void
  /** Ends those opened with the token of a session that is no more. */
  drop(sessionId: string): void
  /** Ends those without a message for too long. */
  sweep(): void
  stop(): void
  readonly size: number
}

export interface McpSessionDependencies {
  connect(user: McpUser): Promise<McpConnection>
  readonly clock: Clock
  readonly random: Random
}

interface Entry {
  readonly session: McpSession
  readonly caller: SessionCaller | null
  readonly owner: string
  readonly ending: AbortController
  usedMs: number
}

const ID_BYTES = 16

export function createMcpSessions(limits: McpLimits, { connect, clock, random }: McpSessionDependencies): McpSessions {
  const entries = new Map<string, Entry>()
  const countOf = new Map<string, number>()
  let opening = 0
  /** Sessions without a token, opening ones too: they leave places to those with one. */
  let strangers = 0

  const count = (owner: string, by: 1 | -1) => {
    const next = (countOf.get(owner) ?? 0) + by
    if (next === 0) countOf.delete(owner)
    else countOf.set(owner, next)
  }
  const end = ({ id }: McpSession) => {
    const entry = entries.get(id)
    if (entry === undefined) return
    entries.delete(id)
    count(entry.owner, -1)
    if (entry.caller === null) strangers--
    entry.session.connection.close()
    entry.ending.abort()
  }
  return {
    get size() {
      return entries.size
    },
    async open(kind, user) {
      const { caller } = user
      const owner = caller === null ? user.subscriber : `user ${caller.userId}`
      if (entries.size + opening >= limits.sessions || (caller === null && strangers >= limits.sessionsOfStrangers))
        throw new ApiError(503, 'Too many sessions of the tool protocol: try again in a moment', { headers: { 'retry-after': '30' } })
      if ((countOf.get(owner) ?? 0) >= limits.sessionsOfOne) {
        const detail = `Rate limit exceeded: ${limits.sessionsOfOne} sessions of the tool protocol at once; end one`
        throw new ApiError(429, detail, { headers: { 'retry-after': '30' } })
      }
      count(owner, 1)
      if (caller === null) strangers++
      opening++
      try {
        const connection = await connect(user)
        const ending = new AbortController()
        const id = bytesToHex(random.bytes(ID_BYTES)).slice('0x'.length)
        const session: McpSession = { id, kind, connection, answers: createAnswerLog(limits), over: ending.signal }
        entries.set(id, { session, caller, owner, ending, usedMs: clock.monotonicMs() })
        return session
      } catch (error) {
        count(owner, -1)
        if (caller === null) strangers--
        throw error
      } finally {
        opening--
      }
    },
    find(kind, id, caller) {
      const entry = entries.get(id)
      if (entry === undefined || entry.session.kind !== kind || !isSame(entry.caller, caller)) return null
      entry.usedMs = clock.monotonicMs()
      return entry.session
    },
    end,
    drop(sessionId) {
      for (const { session, caller } of [...entries.values()]) if (caller?.sessionId === sessionId) end(session)
    },
    sweep() {
      const nowMs = clock.monotonicMs()
      for (const entry of [...entries.values()]) {
        // a call under way is no idleness
        if (entry.session.connection.asked > 0) entry.usedMs = nowMs
        else if (nowMs - entry.usedMs >= limits.idleMs) end(entry.session)
      }
    },
    stop() {
      for (const { session } of [...entries.values()]) end(session)
    },
  }
}

function isSame(a: SessionCaller | null, b: SessionCaller | null): boolean {
  return a === null || b === null ? a === b : a.sessionId === b.sessionId && a.userId === b.userId
}
