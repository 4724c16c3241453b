/** A lease limits a session to one turn on all servers. A turn's number is its answer's ordinal. */
import { and, desc, eq, lte, sql } from 'drizzle-orm'
import type { Message } from '../schemas/chat.ts'
import type { Database } from '../storage/database.ts'
import { sessions } from '../storage/schema/auth.ts'
import { chats, messages } from '../storage/schema/chat.ts'
import { MAX_CONTEXT_MESSAGES, planConversation } from './conversation.ts'
import { ConversationTails } from './conversation-tails.ts'
import { continueChat, endTurn } from './turn-statements.ts'

export interface BegunTurn {
  readonly turn: number
  readonly context: readonly Message[]
}

export type TurnRecord =
  | { readonly state: 'running' }
  | { readonly state: 'stored'; readonly content: string; readonly failure: string | null }
  | { readonly state: 'none' }

export const MAX_STORED_MESSAGES = 1_000
export const TURN_LEASE_MS = 30_000
const IDLE = { turn: null, turnUntil: null }

export class ChatStore {
  readonly #db: Database
  readonly #tails = new ConversationTails()

  constructor(db: Database) {
    this.#db = db
  }

  async begin(sessionId: string, sent: readonly Message[], nowMs: number): Promise<BegunTurn | 'busy' | 'no-session'> {
    return (await this.#continue(sessionId, sent, nowMs)) ?? this.#beginAnew(sessionId, sent, nowMs)
  }

  /** Null if this server does not know the conversation or it changed since. */
  async #continue(sessionId: string, sent: readonly Message[], nowMs: number): Promise<BegunTurn | null> {
    const tail = this.#tails.get(sessionId)
    if (tail === undefined) return null
    const { lastOrdinal, messages: stored } = tail
    const { added, context } = planConversation(stored, sent)
    if (added.length === 0) return null
    const turn = lastOrdinal + added.length + 1
    const limits = { leaseUntil: leaseFrom(nowMs), deleteUpTo: turn - MAX_STORED_MESSAGES }
    // a failed statement may have been executed
    this.#tails.forget(sessionId)
    if (!(await continueChat(this.#db, { sessionId, lastOrdinal, added, nowMs, ...limits }))) return null
    this.#tails.set(sessionId, turn, [...stored, ...added])
    return { turn, context }
  }

  async #beginAnew(sessionId: string, sent: readonly Message[], nowMs: number): Promise<BegunTurn | 'busy' | 'no-session'> {
    this.#tails.forget(sessionId)
    const begun = await this.#readAndBegin(sessionId, sent, nowMs)
    if (typeof begun === 'string') return begun
    const { turn, context, stored } = begun
    this.#tails.set(sessionId, turn, stored)
    return { turn, context }
  }

  #readAndBegin(
    sessionId: string,
    sent: readonly Message[],
    nowMs: number,
  ): Promise<(BegunTurn & { readonly stored: readonly Message[] }) | 'busy' | 'no-session'> {
    return this.#db.transaction(async (transaction) => {
      // the lock on the chat's row protects its history
      const [chat] = await transaction
        .insert(chats)
        .select(sql`select id, 0, null, null from ${sessions} where id = ${sessionId} for key share`)
        .onConflictDoUpdate({ target: chats.sessionId, set: { sessionId: sql`excluded.session_id` } })
        .returning()
      if (chat === undefined) return 'no-session'
      if (runningTurn(chat, nowMs) !== null) return 'busy'
      const newest = await newestMessages(transaction, sessionId, MAX_CONTEXT_MESSAGES)
      const { added, context } = planConversation(newest, sent)
      const createdAt = new Date(nowMs)
      const rows = added.map(({ role, content }, i) => ({
        sessionId,
        ordinal: chat.lastOrdinal + 1 + i,
        content,
        createdAt,
        role: role as 'user' | 'assistant',
      }))
      if (rows.length > 0) await transaction.insert(messages).values(rows)
      const turn = chat.lastOrdinal + added.length + 1
      await transaction
        .update(chats)
        .set({ lastOrdinal: turn, turn, turnUntil: leaseFrom(nowMs) })
        .where(eq(chats.sessionId, sessionId))
      if (turn > MAX_STORED_MESSAGES)
        await transaction.delete(messages).where(and(eq(messages.sessionId, sessionId), lte(messages.ordinal, turn - MAX_STORED_MESSAGES)))
      return { turn, context, stored: [...newest, ...added] }
    })
  }

  async renew(sessionId: string, turn: number, nowMs: number): Promise<boolean> {
    const lease = { turnUntil: leaseFrom(nowMs) }
    return (await this.#db.update(chats).set(lease).where(isTurn(sessionId, turn)).returning({ turn: chats.turn })).length > 0
  }

  /** Returns false when the turn was already over. */
  async finish(sessionId: string, turn: number, content: string | null, failure: string | null, nowMs: number): Promise<boolean> {
    if (content === null) {
      const free = this.#db.update(chats).set(IDLE).where(isTurn(sessionId, turn))
      return (await free.returning({ turn: chats.turn })).length > 0
    }
    const isStored = await endTurn(this.#db, { sessionId, turn, content, failure, nowMs })
    if (isStored) this.#tails.addAnswer(sessionId, turn, content)
    return isStored
  }

  async find(sessionId: string, turn: number, nowMs: number): Promise<TurnRecord> {
    // read first: if the turn ends in between, the second query finds its answer
    const running = await this.running(sessionId, nowMs)
    const [row] = await this.#db
      .select({ content: messages.content, failure: messages.failure, role: messages.role })
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), eq(messages.ordinal, turn)))
    if (row?.role === 'assistant') return { state: 'stored', content: row.content, failure: row.failure }
    return { state: running === turn ? 'running' : 'none' }
  }

  async running(sessionId: string, nowMs: number): Promise<number | null> {
    const [chat] = await this.#db.select().from(chats).where(eq(chats.sessionId, sessionId))
    return runningTurn(chat, nowMs)
  }

  list(sessionId: string): Promise<readonly Message[]> {
    return newestMessages(this.#db, sessionId, MAX_STORED_MESSAGES)
  }

  clear(sessionId: string): Promise<void> {
    this.#tails.forget(sessionId)
    return this.#db.transaction(async (transaction) => {
      await transaction
        .update(chats)
        .set({ ...IDLE, lastOrdinal: sql`${chats.lastOrdinal} + 1` })
        .where(eq(chats.sessionId, sessionId))
      await transaction.delete(messages).where(eq(messages.sessionId, sessionId))
    })
  }

  /** Requires that no other server uses the database. */
  async releaseAll(): Promise<void> {
    await this.#db.update(chats).set(IDLE)
  }
}

async function newestMessages(db: Pick<Database, 'select'>, sessionId: string, most: number): Promise<readonly Message[]> {
  const newest = await db
    .select({ role: messages.role, content: messages.content })
    .from(messages)
    .where(eq(messages.sessionId, sessionId))
    .orderBy(desc(messages.ordinal))
    .limit(most)
  return newest.reverse()
}

function isTurn(sessionId: string, turn: number) {
  return and(eq(chats.sessionId, sessionId), eq(chats.turn, turn))
}

function leaseFrom(nowMs: number): Date {
  return new Date(nowMs + TURN_LEASE_MS)
}

function runningTurn(chat: { readonly turn: number | null; readonly turnUntil: Date | null } | undefined, nowMs: number): number | null {
  return (chat?.turnUntil?.getTime() ?? 0) > nowMs ? (chat?.turn ?? null) : null
}
