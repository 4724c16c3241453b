/**
 * Stores the history of sessions and the lease of the running turn. A session has one turn at a time on all servers. The
 * server of a turn renews its lease, so a dead server does not block the session for long. The number of a turn is the
 * ordinal of its answer.
 */
import { and, desc, eq, lte, sql } from 'drizzle-orm'
import type { Message } from '../schemas/chat.ts'
import type { Database } from '../storage/database.ts'
import { sessions } from '../storage/schema/auth.ts'
import { chats, messages } from '../storage/schema/chat.ts'
import { type ConversationPlan, MAX_CONTEXT_MESSAGES, planConversation } from './conversation.ts'

export interface BegunTurn {
  readonly turn: number
  readonly context: ConversationPlan['context']
}

/** State of a turn: running until its lease ends, stored, or neither. */
export type TurnRecord =
  | { readonly state: 'running' }
  | { readonly state: 'stored'; readonly content: string; readonly failure: string | null }
  | { readonly state: 'none' }

export interface ChatStore {
  /** Stores the new messages of `sent` and takes the turn. The last message is the user's. */
  begin(sessionId: string, sent: readonly Message[], nowMs: number): Promise<BegunTurn | 'busy' | 'no-session'>
  /** False when the turn is over. */
  renew(sessionId: string, turn: number, nowMs: number): Promise<boolean>
  /** Ends the turn and stores its answer unless null. Returns false and stores nothing when the turn was over. */
  finish(sessionId: string, turn: number, content: string | null, failure: string | null, nowMs: number): Promise<boolean>
  find(sessionId: string, turn: number, nowMs: number): Promise<TurnRecord>
  /** Number of the running turn; null without one. */
  running(sessionId: string, nowMs: number): Promise<number | null>
  /** Oldest first. */
  list(sessionId: string): Promise<readonly Message[]>
  /** Deletes the messages and ends the running turn. */
  clear(sessionId: string): Promise<void>
  /** Ends all turns, at the start of a server that owns the database. */
  releaseAll(): Promise<void>
}

export const MAX_STORED_MESSAGES = 1_000
export const TURN_LEASE_MS = 30_000

export function createChatStore(db: Database): ChatStore {
  const at = (sessionId: string, turn: number) => and(eq(chats.sessionId, sessionId), eq(chats.turn, turn))
  const leaseFrom = (nowMs: number) => new Date(nowMs + TURN_LEASE_MS)
  const isRunning = (chat: { turn: number | null; turnUntil: Date | null } | undefined, nowMs: number) =>
    chat !== undefined && chat.turn !== null && (chat.turnUntil?.getTime() ?? 0) > nowMs
  const ordinalIs = (sessionId: string, turn: number) => and(eq(messages.sessionId, sessionId), eq(messages.ordinal, turn))

  return {
    begin: (sessionId, sent, nowMs) =>
      db.transaction(async (transaction) => {
        // the chat's row is the lock for its history, also when it exists already
        const [chat] = await transaction
          .insert(chats)
          .select(sql`select id, 0, null, null from ${sessions} where id = ${sessionId} for key share`)
          .onConflictDoUpdate({ target: chats.sessionId, set: { sessionId: sql`excluded.session_id` } })
          .returning()
        if (chat === undefined) return 'no-session'
        if (isRunning(chat, nowMs)) return 'busy'
        const stored = await transaction
          .select({ role: messages.role, content: messages.content })
          .from(messages)
          .where(eq(messages.sessionId, sessionId))
          .orderBy(desc(messages.ordinal))
          .limit(MAX_CONTEXT_MESSAGES)
        const { added, context } = planConversation(stored.reverse(), sent)
        const createdAt = new Date(nowMs)
        if (added.length > 0)
          await transaction.insert(messages).values(
            added.map(({ role, content }, i) => ({
              ...{ sessionId, ordinal: chat.lastOrdinal + 1 + i, content, createdAt },
              role: role as 'user' | 'assistant',
            })),
          )
        const turn = chat.lastOrdinal + added.length + 1
        await transaction
          .update(chats)
          .set({ lastOrdinal: turn, turn, turnUntil: leaseFrom(nowMs) })
          .where(eq(chats.sessionId, sessionId))
        if (turn > MAX_STORED_MESSAGES)
          await transaction
            .delete(messages)
            .where(and(eq(messages.sessionId, sessionId), lte(messages.ordinal, turn - MAX_STORED_MESSAGES)))
        return { turn, context }
      }),
    async renew(sessionId, turn, nowMs) {
      const renewed = await db
        .update(chats)
        .set({ turnUntil: leaseFrom(nowMs) })
        .where(at(sessionId, turn))
        .returning({ turn: chats.turn })
      return renewed.length > 0
    },
    async finish(sessionId, turn, content, failure, nowMs) {
      const free = db.update(chats).set({ turn: null, turnUntil: null }).where(at(sessionId, turn))
      if (content === null) return (await free.returning({ turn: chats.turn })).length > 0
      const freed = db.$with('freed').as(free.returning({ sessionId: chats.sessionId }))
      const stored = await db
        .with(freed)
        .insert(messages)
        .select(
          sql`select session_id, ${turn}::bigint, 'assistant', ${content}::text, ${failure}::text, ${new Date(nowMs).toISOString()}::timestamptz
            from ${freed}`,
        )
        .returning({ ordinal: messages.ordinal })
      return stored.length > 0
    },
    async find(sessionId, turn, nowMs) {
      // read the turn first: a turn that ends in between is found by the second query
      const [chat] = await db.select().from(chats).where(eq(chats.sessionId, sessionId))
      const [row] = await db
        .select({ content: messages.content, failure: messages.failure, role: messages.role })
        .from(messages)
        .where(ordinalIs(sessionId, turn))
      if (row?.role === 'assistant') return { state: 'stored', content: row.content, failure: row.failure }
      return { state: isRunning(chat, nowMs) && chat?.turn === turn ? 'running' : 'none' }
    },
    async running(sessionId, nowMs) {
      const [chat] = await db.select().from(chats).where(eq(chats.sessionId, sessionId))
      return isRunning(chat, nowMs) ? (chat?.turn ?? null) : null
    },
    async list(sessionId) {
      const newest = await db
        .select({ role: messages.role, content: messages.content })
        .from(messages)
        .where(eq(messages.sessionId, sessionId))
        .orderBy(desc(messages.ordinal))
        .limit(MAX_STORED_MESSAGES)
      return newest.reverse()
    },
    clear: (sessionId) =>
      db.transaction(async (transaction) => {
        await transaction.update(chats).set({ turn: null, turnUntil: null }).where(eq(chats.sessionId, sessionId))
        await transaction.delete(messages).where(eq(messages.sessionId, sessionId))
      }),
    async releaseAll() {
      await db.update(chats).set({ turn: null, turnUntil: null })
    },
  }
}
