/** Omits the parameters of database queries, which include messages, addresses and password hashes. */
import type { LogFields } from '@keelson/primitives'

interface DatabaseFailure {
  readonly code?: unknown
  readonly table?: unknown
  readonly constraint?: unknown
}

const SQL_STATE = /^[0-9A-Z]{5}$/

export function failureFacts(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const database = databaseFailure(error)
  if (database === null) return { error: `${error.name}: ${error.message}`, at: frames(error) }
  const { code, table, constraint } = database
  return { error: 'query failed', sqlState: code ?? null, table: table ?? null, constraint: constraint ?? null, at: frames(error) }
}

export function databaseFailure(error: unknown): DatabaseFailure | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as DatabaseFailure
    if (typeof code === 'string' && SQL_STATE.test(code)) return at as DatabaseFailure
    if ('query' in at && 'params' in at) return (at.cause as DatabaseFailure | undefined) ?? {}
  }
  return null
}

function frames(error: Error): string {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return lines
    .slice(0, 6)
    .map((line) => line.trim())
    .join(' < ')
}
