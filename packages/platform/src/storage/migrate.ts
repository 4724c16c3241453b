/**
 * Bringing a database to the present schema. All missing steps are one transaction under an advisory lock, so that of
 * several servers starting at once one does it and the others find it done. Steps go forward only, and those applied must
 * be the very ones this release knows: a hash of each is kept.
 */
import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { PlatformError } from '../platform-error.ts'
import type { Database } from './database.ts'

export interface Migration {
  /** 1, 2, 3, ... */
  readonly id: number
  readonly name: string
  /** One statement each. */
  readonly statements: readonly string[]
}

export interface MigrationResult {
  readonly applied: readonly number[]
  /** Of the newest step. */
  readonly version: number
}

/** Any number, the same for all servers: "keelson" in ASCII, cut to 48 bits. */
const LOCK_KEY = 0x6b65656c736f

/** Throws PlatformError `platform/storage-migrations`, and nothing is changed then. */
export async function migrate(db: Database, migrations: readonly Migration[], now: Date): Promise<MigrationResult> {
  assertOrder(migrations)
  return db.transaction(async (transaction) => {
    const run = async (query: SQL) => ((await transaction.execute(query)) as { rows: Record<string, unknown>[] }).rows
    await run(sql`select pg_advisory_xact_lock(${LOCK_KEY})`)
    await run(sql`create table if not exists schema_migrations (
      id integer primary key, name text not null, hash text not null, applied_at timestamptz not null)`)
    const rows = await run(sql`select id, hash from schema_migrations order by id`)
    for (const [i, row] of rows.entries()) assertKnown(migrations[i], Number(row.id), String(row.hash), migrations.length)
    const missing = migrations.slice(rows.length)
    for (const migration of missing) {
      for (const statement of migration.statements) await run(sql.raw(statement))
      await run(sql`insert into schema_migrations (id, name, hash, applied_at)
        values (${migration.id}, ${migration.name}, ${hashOf(migration)}, ${now.toISOString()})`)
    }
    return { applied: missing.map(({ id }) => id), version: migrations.length }
  })
}

function hashOf({ statements }: Migration): string {
  return createHash('sha256').update(statements.join(';\n')).digest('hex')
}

function assertOrder(migrations: readonly Migration[]): void {
  const wrong = migrations.findIndex(({ id }, i) => id !== i + 1)
  if (wrong === -1) return
  throw new PlatformError('platform/storage-migrations', `migration ${wrong + 1} of this release has the number ${migrations[wrong]?.id}`)
}

function assertKnown(known: Migration | undefined, id: number, hash: string, count: number): void {
  if (known === undefined || known.id !== id) {
    throw new PlatformError(
      'platform/storage-migrations',
      `the database was made by a newer release: it has migration ${id}, and this release knows ${count}; run the newer release`,
      { id, known: count },
    )
  }
  if (hashOf(known) !== hash) {
    throw new PlatformError(
      'platform/storage-migrations',
      `migration ${id} (${known.name}) of the database is another than this release has: it was made by a different build; ` +
        'run that build, or begin with an empty database',
      { id },
    )
  }
}
