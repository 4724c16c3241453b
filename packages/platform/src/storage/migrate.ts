/** Migrations run in one transaction under an advisory lock. Applied ones must match by hash. */
import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { PlatformError } from '../platform-error.ts'
import type { Database } from './database.ts'

export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
}

export interface MigrationResult {
  readonly applied: readonly number[]
  readonly version: number
}

/** The first 48 bits of "keelson" in ASCII. */
const LOCK_KEY = 0x6b65656c736f

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
  throw new PlatformError('platform/storage-migrations', `migration ${wrong + 1} of this release has id ${migrations[wrong]?.id}`)
}

function assertKnown(known: Migration | undefined, id: number, hash: string, count: number): void {
  if (known === undefined || known.id !== id) {
    throw new PlatformError(
      'platform/storage-migrations',
      `the database was created by a newer release: it has migration ${id}, and this release has ${count}; run the newer release`,
      { id, known: count },
    )
  }
  if (hashOf(known) !== hash) {
    throw new PlatformError(
      'platform/storage-migrations',
      `migration ${id} (${known.name}) of the database differs from that of this release: another build created it; ` +
        'run that build, or start with an empty database',
      { id },
    )
  }
}
