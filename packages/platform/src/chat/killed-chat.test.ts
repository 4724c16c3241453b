import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { linesUntilKilled } from '../storage/killed-process.test-support.ts'
import { openDatabase } from '../storage/open-database.ts'
import { ChatStore, TURN_LEASE_MS } from './chat-store.ts'

const WRITER = fileURLToPath(new URL('chat-writer.test-support.ts', import.meta.url))
const LINES_BEFORE_THE_KILL = 61

describe('conversations of a process that is killed', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-platform-chat-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  it('keep questions and complete answers; the other questions may be repeated', async () => {
    const acknowledged = await linesUntilKilled(WRITER, dataDir, LINES_BEFORE_THE_KILL)

    const clock = createSystemClock()
    const { db, close } = await openDatabase({ dataDir, databaseUrl: null, maxConnections: 1 }, { clock, log: createSilentLogger() })
    const store = new ChatStore(db)
    const parts = acknowledged.map((line) => line.split(' ') as [string, string, string])
    const answered = new Set(parts.filter(([, what]) => what === 'answered').map(([session]) => session))
    const [unanswered] = parts.filter(([, , user]) => Number(user) % 2 === 0)
    for (const [session, , user] of parts) {
      const kept = await store.list(session)
      assert.deepEqual(kept[0], { role: 'user', content: `question ${user}` })
      if (answered.has(session)) assert.deepEqual(kept[1], { role: 'assistant', content: 'the first half, and the second' })
    }
    const [session, , user] = unanswered as [string, string, string]
    const again = [{ role: 'user' as const, content: `question ${user}` }]
    assert.equal(await store.begin(session, again, clock.nowMs()), 'busy', 'its server might be there yet')
    await store.releaseAll()
    assert.notEqual(await store.begin(session, again, clock.nowMs()), 'busy')
    assert.notEqual(await store.begin(session, again, clock.nowMs() + TURN_LEASE_MS + 1), 'busy')
    assert.deepEqual(await store.list(session), again)
    await close()
  })
})
