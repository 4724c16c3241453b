import type { JsonRow } from './block-rows.ts'
import type { Sql } from './database.ts'

export interface Table {
  readonly name: string
  /** Names with their types, as in `create table`. */
  readonly columns: Readonly<Record<string, string>>
  readonly onConflict?: string
}

/** Bounds the memory of one statement. */
const MAX_STATEMENT_CHARACTERS = 4_000_000

/** One JSON parameter per statement, because PostgreSQL limits the number of parameters. */
export async function insertRows(sql: Sql, table: Table, rows: readonly JsonRow[]): Promise<void> {
  const names = Object.keys(table.columns).join(', ')
  const types = Object.entries(table.columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
  const text = `insert into ${table.name} (${names}) select ${names} from json_to_recordset($1::text::json) as rows(${types}) ${table.onConflict ?? ''}`
  for (const part of parts(rows)) await sql.query(text, [part])
}

function* parts(rows: readonly JsonRow[]): Generator<string> {
  let texts: string[] = []
  let size = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (size + text.length > MAX_STATEMENT_CHARACTERS && texts.length > 0) {
      yield `[${texts.join(',')}]`
      texts = []
      size = 0
    }
    texts.push(text)
    size += text.length
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`
}
