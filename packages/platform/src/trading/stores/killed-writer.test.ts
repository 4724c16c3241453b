import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { linesUntilKilled } from '../../storage/killed-process.test-support.ts'
import { openDatabase } from '../../storage/open-database.ts'
import { findBrokenAuditEntry } from '../audit/audit-log.ts'
import type { ExecutionRecord } from '../execution/record.ts'
import { storesOver } from './store-engines.test-support.ts'
import { lifeOf } from './stored-records.test-support.ts'

const WRITER = fileURLToPath(new URL('execution-writer.test-support.ts', import.meta.url))
const STEPS_BEFORE_THE_KILL = 203

describe('executions of a process that is killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-platform-executions-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('are as they were acknowledged, or one step further', async () => {
    const acknowledged = await linesUntilKilled(WRITER, dataDir, STEPS_BEFORE_THE_KILL)

    const { db, close } = await openDatabase(
      { dataDir, databaseUrl: null, maxConnections: 1 },
      { clock: createSystemClock(), log: createSilentLogger() },
    )
    const { executions, audit } = storesOver(db)
    const newest = new Map(acknowledged.map((line) => line.split(' ') as [string, string]))
    for (const [id, version] of newest) {
      const life = lifeOf(id)
      const kept = await executions.get(id)
      assert.ok(kept !== null && kept.version >= Number(version), `${id}: version ${version} was acknowledged, ${kept?.version} is there`)
      assert.deepEqual(kept, life[kept.version - 1])
      for (const next of life.slice(kept.version)) assert.equal(await executions.save(next), 'saved')
    }
    const [{ wallet, chainId }, last] = [lifeOf('e0')[0] as ExecutionRecord, [...newest.keys()].at(-1) as string]
    assert.deepEqual(await executions.lastSigned(wallet, chainId), lifeOf(last).at(-1))
    assert.ok((await executions.unfinished(9)).every(({ state }) => state === 'accepted'))
    const entries = await audit.read(1, 10_000)
    assert.equal(findBrokenAuditEntry(entries), null)
    const audited = new Set(entries.map(({ executionId, data }) => `${executionId} ${data.version}`))
    assert.deepEqual(
      acknowledged.filter((line) => !audited.has(line)),
      [],
    )
    await close()
  })
})
