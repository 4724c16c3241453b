import { type SQL, sql } from 'drizzle-orm'
import type { Message } from '../schemas/chat.ts'
import type { Database } from '../storage/database.ts'

export interface ContinuedTurn {
  readonly sessionId: string
  readonly lastOrdinal: number
  readonly added: readonly Message[]
  readonly nowMs: number
  readonly leaseUntil: Date
  readonly deleteUpTo: number
}

export interface EndedTurn {
  readonly sessionId: string
  readonly turn: number
  readonly content: string
  readonly failure: string | null
  readonly nowMs: number
}

/** Returns false if the chat is gone, was changed or has a running turn. */
export async function continueChat(db: Database, begun: ContinuedTurn): Promise<boolean> {
  const { sessionId, lastOrdinal, added, nowMs, leaseUntil, deleteUpTo } = begun
  const turn = lastOrdinal + added.length + 1
  const at = timestamp(nowMs)
  const rows = added.map(({ role, content }, i) => sql`(${lastOrdinal + 1 + i}::bigint, ${role}::text, ${content}::text)`)
  const deleted = sql`, deleted as (delete from messages where session_id in (select session_id from chat) and ordinal <= ${deleteUpTo})`
  const ordinals = await rowsOf(
    db,
    sql`with chat as (
      update chats set last_ordinal = ${turn}, turn = ${turn}, turn_until = ${timestamp(leaseUntil.getTime())}
      where session_id = ${sessionId} and last_ordinal = ${lastOrdinal} and (turn_until is null or turn_until <= ${at})
      returning session_id
    )${deleteUpTo > 0 ? deleted : sql``}
    insert into messages (session_id, ordinal, role, content, created_at)
    select chat.session_id, added.ordinal, added.role, added.content, ${at}
    from chat, (values ${sql.join(rows, sql`, `)}) as added (ordinal, role, content)
    returning ordinal`,
  )
  return ordinals.length > 0
}

/** Returns false when the turn was already over. */
export async function endTurn(db: Database, { sessionId, turn, content, failure, nowMs }: EndedTurn): Promise<boolean> {
  const ordinals = await rowsOf(
    db,
    sql`with freed as (
      update chats set turn = null, turn_until = null where session_id = ${sessionId} and turn = ${turn} returning session_id
    )
    insert into messages (session_id, ordinal, role, content, failure, created_at)
    select session_id, ${turn}::bigint, 'assistant', ${content}::text, ${failure}::text, ${timestamp(nowMs)} from freed
    returning ordinal`,
  )
  return ordinals.length > 0
}

function timestamp(ms: number): SQL {
  return sql`${new Date(ms).toISOString()}::timestamptz`
}

async function rowsOf(db: Database, statement: SQL): Promise<readonly unknown[]> {
  return ((await db.execute(statement)) as { readonly rows: readonly unknown[] }).rows
}
