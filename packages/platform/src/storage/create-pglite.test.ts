import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { createPgliteFiles } from './create-pglite.ts'
import { openDatabase } from './open-database.ts'

describe('creation of an embedded database', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-platform-new-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('leaves nothing behind that prevents the next start when it is killed', async () => {
    const files = join(dataDir, 'pgdata')
    await createPgliteFiles(files)
    cpSync(join(files, 'base'), join(dataDir, 'pgdata.new', 'base'), { recursive: true })
    rmSync(files, { recursive: true })

    const opened = await openDatabase(
      { dataDir, databaseUrl: null, maxConnections: 1 },
      { clock: createSystemClock(), log: createSilentLogger() },
    )
    assert.equal(await opened.trouble(), null)
    await opened.close()
    assert.equal(existsSync(join(dataDir, 'pgdata.new')), false)
  })
})
