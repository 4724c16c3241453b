/** The database as the modules see it: queries in the Postgres dialect, whichever engine answers them. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { databaseFailure } from '../http/failure-facts.ts'

/** Queries and transactions. A write is committed when its promise resolves. */
export type Database = PgDatabase<PgQueryResultHKT>

export interface OpenedDatabase {
  readonly db: Database
  readonly engine: 'pglite' | 'postgres'
  /** Null when it answers, else why not. */
  trouble(): Promise<string | null>
  close(): Promise<void>
}

/** Connection failures of a socket, and of Postgres: classes 08 (connection), 53 (resources), 57P0x (shutdown), 40 (to be repeated). */
const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])
const AWAY_STATES = /^(08...|53...|57P0.|57014|40...)$/
const AWAY_TEXT = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|PGlite is clos/i

/** Whether the database could not be asked, and may be asked again. */
export function isDatabaseAway(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && (AWAY.has(code) || AWAY_STATES.test(code))) return true
    // the message of a failed query repeats its values: only the driver's own words count
    if (!('query' in at && 'params' in at) && AWAY_TEXT.test(at.message)) return true
  }
  return false
}

/** Whether a row was refused because one like it is there: name of the unique constraint, null when it was something else. */
export function violatedConstraint(error: unknown): string | null {
  const failure = databaseFailure(error)
  return failure?.code === '23505' && typeof failure.constraint === 'string' ? failure.constraint : null
}
