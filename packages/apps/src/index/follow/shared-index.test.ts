import assert from 'node:assert/strict'
import { ZERO_ADDRESS } from '@keelson/primitives'
import pg from 'pg'
import { eventually } from '../../../../../test/support/eventually.ts'
import { connect } from '../../../../../test/support/index/index-engines.ts'
import { type IndexedWorld, openIndexedWorld, openTestIndex, type TestIndex } from '../../../../../test/support/index/index-world.ts'
import { type PostgresServer, postgresSources } from '../../../../../test/support/postgres.ts'
import type { BlockRef } from '../chain/ports.ts'

for (const source of postgresSources()) {
  describe(`indexers that share ${source.name}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let world: IndexedWorld
    let indexes: readonly TestIndex[]
    before(async () => {
      server = await source.open()
    })
    after(() => server?.stop())
    beforeEach(async () => {
      database = await server.createDatabase()
      world = await openIndexedWorld()
      const open = async () => openTestIndex(world, await connect(database.url))
      indexes = [await open(), await open()]
    })
    afterEach(async () => {
      await Promise.all(indexes.map(({ db }) => db.close()))
      await world.stop()
      await database.drop()
    })

    it('have one writer, and the other takes over when it ends', async () => {
      const [first, other] = indexes as [TestIndex, TestIndex]
      await world.mine([])
      await Promise.all([first.follower.step(), other.follower.step()])
      assert.equal(indexes.filter(({ follower }) => follower.writing).length, 1)
      const [writer, reader] = first.follower.writing ? [first, other] : [other, first]
      indexes = [reader]
      await writer.db.close()
      const last = await world.mine([])
      await reader.follower.step()
      assert.equal(reader.follower.writing, true)
      assert.deepEqual(await reader.store.cursor(), { number: 2, hash: last.hash })
    })

    it('answer reads alike, and refuse the writes of one that lost its session', async () => {
      const [writer, reader] = indexes as [TestIndex, TestIndex]
      await world.mine([])
      await writer.follower.step()
      await reader.follower.step()
      assert.deepEqual(await reader.contents(), await writer.contents())
      const admin = new pg.Client({ connectionString: database.url })
      await admin.connect()
      await admin.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted")
      await admin.end()
      await eventually('the election of the reader', async () => reader.db.isWriter())
      await eventually('the news', async () => !(await writer.db.isWriter()))
      const before = (await reader.store.cursor()) as BlockRef
      await assert.rejects(writer.store.rollBack(before, null), { code: 'runtime/not-leader' })
      const described = writer.store.describeToken(ZERO_ADDRESS, { name: 'Late', symbol: 'LATE', decimals: 0 })
      await assert.rejects(described, { code: 'runtime/not-leader' })
      assert.deepEqual(await reader.store.cursor(), before)
      await world.mine([])
      await writer.follower.step()
      await reader.follower.step()
      assert.deepEqual([writer.follower.writing, reader.follower.writing], [false, true])
      assert.equal((await reader.store.cursor())?.number, 2)
    })
  })
}
