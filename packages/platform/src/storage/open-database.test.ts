import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { PlatformError } from '../platform-error.ts'
import { linesUntilKilled } from './killed-process.test-support.ts'
import { openDatabase } from './open-database.ts'
import { users } from './schema/auth.ts'

const WRITER = fileURLToPath(new URL('writer.test-support.ts', import.meta.url))
const ROWS_BEFORE_THE_KILL = 150

describe('the embedded database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-platform-db-'))
  const open = () =>
    openDatabase({ dataDir, databaseUrl: null, maxConnections: 1 }, { clock: createSystemClock(), log: createSilentLogger() })
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('belongs to one process, and keeps acknowledged writes after kill -9', async () => {
    let refusal: unknown
    const lines = await linesUntilKilled(WRITER, dataDir, ROWS_BEFORE_THE_KILL, async (count) => {
      if (count !== 20) return
      refusal = await open().then(
        () => null,
        (error: unknown) => error,
      )
    })
    const acknowledged = lines.map(Number)
    assert.ok(refusal instanceof PlatformError && refusal.code === 'platform/storage-locked', String(refusal))
    assert.match(refusal.message, /in use by (process \d+ \(|another program).*own data directory.*DATABASE_URL/)

    const opened = await open()
    const rows = await opened.db.select({ email: users.email }).from(users)
    const found = new Set(rows.map(({ email }) => email))
    assert.deepEqual(
      acknowledged.filter((i) => !found.has(`user-${i}@example.org`)),
      [],
    )
    await assert.rejects(open(), (error) => error instanceof PlatformError && error.code === 'platform/storage-locked')
    assert.equal(await opened.trouble(), null)
    await opened.close()
    assert.equal(await opened.trouble(), 'it is closed')

    const again = await open()
    assert.equal((await again.db.select({ id: users.id }).from(users)).length, rows.length)
    await again.close()
  })
})
