import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { PlatformError } from '../platform-error.ts'
import { openDatabase } from './open-database.ts'
import { users } from './schema/auth.ts'

const WRITER = fileURLToPath(new URL('writer.test-support.ts', import.meta.url))
const ROWS_BEFORE_THE_KILL = 150

describe('the embedded database', function () {
  // making one takes seconds, more on a busy machine
  this.timeout(180_000)
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-platform-db-'))
  const open = () =>
    openDatabase({ dataDir, databaseUrl: null, maxConnections: 1 }, { clock: createSystemClock(), log: createSilentLogger() })
  let writer: ChildProcess | undefined
  after(() => {
    writer?.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('belongs to one process, and what it acknowledged is there after kill -9', async () => {
    const child = spawn(process.execPath, ['--import=tsx', WRITER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    writer = child
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const acknowledged: number[] = []
    let refusal: unknown
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(Number(line))
      if (acknowledged.length === 20)
        refusal = await open().then(
          () => null,
          (error: unknown) => error,
        )
      if (acknowledged.length === ROWS_BEFORE_THE_KILL) child.kill('SIGKILL')
    }
    await ended
    assert.ok(refusal instanceof PlatformError && refusal.code === 'platform/storage-locked', String(refusal))
    assert.match(refusal.message, /in use by another process.*data directory of its own.*DATABASE_URL/)
    assert.ok(acknowledged.length >= ROWS_BEFORE_THE_KILL)

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
