import assert from 'node:assert/strict'
import { type Hash, ZERO_HASH } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { auditEntries } from '../../storage/schema/trading.ts'
import { DATABASE_ENGINES, type OpenedEngine, STORE_ENGINES } from '../stores/store-engines.test-support.ts'
import { T0 } from '../stores/stored-records.test-support.ts'
import { AuditLog, findBrokenAuditEntry } from './audit-log.ts'

const HASH = `0x${'ab'.repeat(32)}` as Hash

for (const engine of STORE_ENGINES) {
  describe(`the audit log in ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())

    it('keeps every entry of two instances that write at once, whatever is in it, in one chain', async () => {
      const data = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })
      await fc.assert(
        fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 16 }), async (all) => {
          const stores = await opened.fresh()
          const clock = createManualClock(T0 + 7)
          const logs = stores.map(({ audit }) => new AuditLog(audit, clock))
          await Promise.all(all.map((entry, i) => logs[i % 2]?.record({ id: `e${i}`, userId: i }, 'placing', entry as never)))
          const entries = await stores[0].audit.read(1, 100)
          assert.equal(entries.length, all.length)
          assert.equal(findBrokenAuditEntry(entries), null)
          const last = await stores[1].audit.last()
          assert.deepEqual([last?.seq, last?.hash], [all.length, entries.at(-1)?.hash])
          for (const { executionId, userId, atMs, data: kept } of entries) {
            assert.equal(executionId, `e${userId}`)
            assert.equal(atMs, T0 + 7)
            assert.deepEqual(kept, JSON.parse(JSON.stringify(all[userId])))
          }
          assert.deepEqual(await stores[1].audit.read(2, 3), entries.slice(1, 4))
        }),
        { numRuns: engine.runs },
      )
    })

    it('has one entry of a number', async () => {
      const [one, two] = await opened.fresh()
      assert.equal(await one.audit.last(), null)
      const entry = { seq: 1, atMs: T0, executionId: 'e', userId: 1, event: 'placing', data: {}, previousHash: ZERO_HASH, hash: HASH }
      const taken = await Promise.all([one.audit.append(entry), two.audit.append({ ...entry, userId: 2 })])
      assert.deepEqual(taken.sort(), [false, true])
      assert.equal((await two.audit.read(1, 9)).length, 1)
    })
  })
}

for (const engine of DATABASE_ENGINES) {
  describe(`the audit log's table in ${engine.name}`, () => {
    let opened: OpenedEngine
    before(async () => {
      opened = await engine.open()
    })
    after(() => opened.close())

    it('refuses changes, gaps and forks from every caller', async () => {
      const [{ audit }] = await opened.fresh()
      const { db } = opened
      assert.ok(db !== null)
      const log = new AuditLog(audit, createManualClock(T0))
      for (let n = 1; n <= 3; n++) await log.record({ id: 'e', userId: n }, 'placing', { n })
      const entries = await audit.read(1, 9)
      const refused = (work: Promise<unknown>, words: RegExp) =>
        assert.rejects(work, (error) => words.test(String((error as Error).cause ?? error)))
      await refused(db.update(auditEntries).set({ event: 'refused' }).where(eq(auditEntries.seq, 2)), /append only/)
      await refused(db.delete(auditEntries).where(eq(auditEntries.seq, 3)), /append only/)
      await refused(db.execute(sql`truncate audit_entries`), /append only/)
      const next = { seq: 4, atMs: T0, executionId: 'e', userId: 1, event: 'placing', data: {}, hash: HASH }
      await refused(audit.append({ ...next, seq: 5, previousHash: HASH }), /audit_entries_follow/)
      await refused(audit.append({ ...next, previousHash: entries[0]?.hash as Hash }), /audit_entries_follow/)
      assert.equal(await audit.append({ ...next, seq: 2, previousHash: entries[0]?.hash as Hash }), false)
      assert.deepEqual(await audit.read(1, 9), entries)
      assert.equal(await audit.append({ ...next, previousHash: entries[2]?.hash as Hash }), true)
    })
  })
}
