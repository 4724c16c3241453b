import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pglite'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/all.ts'

let opening: Promise<Database> | undefined

/** Shared, so tests that use it must not run at the same time. */
export async function openTestDatabase(): Promise<Database> {
  opening ??= open()
  const db = await opening
  await emptyDatabase(db)
  return db
}

export function emptyDatabase(db: Database): Promise<void> {
  return db.transaction(async (transaction) => {
    const { rows } = (await transaction.execute(
      sql`select tablename from pg_tables where schemaname = current_schema() and tablename <> 'schema_migrations'`,
    )) as unknown as { rows: { tablename: string }[] }
    const names = rows.map(({ tablename }) => `"${tablename}"`).join(', ')
    // the audit log's triggers refuse truncation
    await transaction.execute(sql.raw('set local session_replication_role = replica'))
    await transaction.execute(sql.raw(`truncate ${names} restart identity cascade`))
  })
}

async function open(): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  const db = drizzle(await PGlite.create()) as unknown as Database
  await migrate(db, MIGRATIONS, new Date(0))
  return db
}
