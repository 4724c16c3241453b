import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { databaseFailure } from '../http/failure-facts.ts'

/** A write is committed when its promise resolves. */
export type Database = PgDatabase<PgQueryResultHKT>

export interface OpenedDatabase {
  readonly db: Database
  readonly engine: 'pglite' | 'postgres'
  /**
   * Elects one of the servers that share the database for tasks that one must do. The leader must call it every few seconds. Throws
   * when the database does not answer.
   */
  isLeader(): Promise<boolean>
  trouble(): Promise<string | null>
  close(): Promise<void>
}

/** Sockets, and Postgres classes 08 (connection), 53 (resources), 57P0x (shutdown), 40 (rollback). */
const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
const AWAY_STATES = /^(08...|53...|57P0.|57014|40...)$/
const AWAY_TEXT = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|PGlite is clos/i

/** Reports whether a retry may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && (AWAY.has(code) || AWAY_STATES.test(code))) return true
    // a failed query's message contains its parameters, so only the driver's messages are matched
    if (!('query' in at && 'params' in at) && AWAY_TEXT.test(at.message)) return true
  }
  return false
}

export function violatedConstraint(error: unknown): string | null {
  const failure = databaseFailure(error)
  return failure?.code === '23505' && typeof failure.constraint === 'string' ? failure.constraint : null
}
