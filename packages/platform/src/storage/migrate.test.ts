import assert from 'node:assert/strict'
import { sql } from 'drizzle-orm'
import { PlatformError } from '../platform-error.ts'
import { openTestDatabase } from './database.test-support.ts'
import type { Database } from './database.ts'
import { type Migration, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/all.ts'

const FIRST: Migration = {
  id: 1,
  name: 'first',
  statements: ['create table things (id integer primary key)', 'insert into things values (7)'],
}
const SECOND: Migration = { id: 2, name: 'second', statements: ["alter table things add column word text not null default 'old'"] }
const AT = new Date('2026-01-01T00:00:00Z')

describe('migrations', () => {
  let db: Database
  before(async () => {
    db = await openTestDatabase()
  })
  beforeEach(async () => {
    await db.execute(sql.raw('create schema scratch'))
    await db.execute(sql.raw('set search_path to scratch'))
  })
  afterEach(async () => {
    await db.execute(sql.raw('set search_path to public'))
    await db.execute(sql.raw('drop schema scratch cascade'))
  })
  const rows = async (query: string) => ((await db.execute(sql.raw(query))) as unknown as { rows: Record<string, unknown>[] }).rows
  const refused = (migrations: readonly Migration[], words: RegExp) =>
    assert.rejects(migrate(db, migrations, AT), (error) => {
      assert.ok(error instanceof PlatformError && error.code === 'platform/storage-migrations', String(error))
      assert.match(error.message, words)
      return true
    })

  it('create all tables once', async () => {
    assert.deepEqual(await migrate(db, MIGRATIONS, AT), { applied: MIGRATIONS.map(({ id }) => id), version: MIGRATIONS.length })
    assert.deepEqual(await migrate(db, MIGRATIONS, AT), { applied: [], version: MIGRATIONS.length })
    assert.equal((await rows('select * from users')).length, 0)
  })

  it('upgrade an older database and keep its rows', async () => {
    await migrate(db, [FIRST], AT)
    assert.deepEqual(await migrate(db, [FIRST, SECOND], AT), { applied: [2], version: 2 })
    assert.deepEqual(await rows('select * from things'), [{ id: 7, word: 'old' }])
    assert.equal((await rows('select * from schema_migrations')).length, 2)
  })

  it('change nothing when a step fails', async () => {
    await assert.rejects(migrate(db, [FIRST, { id: 2, name: 'wrong', statements: ['create table others (id integer)', 'nonsense'] }], AT))
    assert.deepEqual(await rows("select tablename from pg_tables where schemaname = 'scratch'"), [])
  })

  it('refuse a newer database, other migrations, and a wrong order', async () => {
    await migrate(db, [FIRST, SECOND], AT)
    await refused([FIRST], /newer release: it has migration 2, and this release has 1/)
    await refused([{ ...FIRST, statements: ['create table others (id integer)'] }, SECOND], /migration 1 \(first\) of the database differs/)
    await refused([SECOND, FIRST], /has id 2/)
  })
})
