import assert from 'node:assert/strict'
import { createSilentLogger } from '@keelson/runtime'
import pg from 'pg'
import { createElection, type Election } from '../../packages/runtime/src/leader/election.ts'
import { eventually } from '../support/eventually.ts'
import { type PostgresServer, postgresSources } from '../support/postgres.ts'

const LOCK = 7

for (const source of postgresSources()) {
  describe(`the election in ${source.name}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let candidates: Election[]
    before(async () => {
      server = await source.open()
    })
    after(() => server?.stop())
    beforeEach(async () => {
      database = await server.createDatabase()
      candidates = []
    })
    afterEach(async () => {
      await Promise.all(candidates.map((candidate) => candidate.withdraw()))
      await database.drop()
    })
    const stand = (silenceMs = 10_000) => {
      const open = () => new pg.Client({ connectionString: database.url })
      const candidate = createElection({ lock: LOCK, open, silenceMs, log: createSilentLogger() })
      candidates.push(candidate)
      return candidate
    }
    const endSessionOf = async (candidate: Election) => {
      const [row] = await candidate.query<{ pid: number }>('select pg_backend_pid() as pid')
      const other = new pg.Client({ connectionString: database.url })
      await other.connect()
      await other.query('select pg_terminate_backend($1)', [row?.pid])
      await other.end()
    }

    it('has one leader, whose place the next takes when it withdraws', async () => {
      const [one, two] = [stand(), stand()]
      assert.deepEqual([await one.campaign(), await two.campaign(), await one.campaign()], [true, false, true])
      await one.withdraw()
      assert.deepEqual([one.isLeading, await two.campaign(), await one.campaign()], [false, true, false])
    })

    it('has one leader when all campaign at once, each several times', async () => {
      const all = [stand(), stand(), stand()]
      const won = await Promise.all(all.flatMap((candidate) => [candidate.campaign(), candidate.campaign()]))
      assert.deepEqual(all.map(({ isLeading }) => isLeading).filter(Boolean), [true])
      assert.equal(won.filter(Boolean).length, 2)
    })

    it('lets a leader write, and no one who lost the lock', async () => {
      const [one, two] = [stand(), stand()]
      await one.campaign()
      await one.transaction((query) => query('create table notes (text text)'))
      const write = (candidate: Election, text: string) => candidate.transaction((query) => query('insert into notes values ($1)', [text]))
      await write(one, 'first')
      await assert.rejects(write(two, 'not elected'), { code: 'runtime/not-leader' })
      await endSessionOf(one)
      await eventually('the end of the session', async () => two.campaign())
      await assert.rejects(write(one, 'deposed'), { code: 'runtime/not-leader' })
      await write(two, 'second')
      assert.deepEqual(await one.query('select text from notes'), [{ text: 'first' }, { text: 'second' }])
    })

    it('rolls a failed transaction back and keeps the lead', async () => {
      const one = stand()
      await one.campaign()
      await one.transaction((query) => query('create table notes (text text)'))
      const failing = one.transaction(async (query) => {
        await query('insert into notes values ($1)', ['lost'])
        await query('select no_such_column')
      })
      await assert.rejects(failing, { code: '42703' })
      assert.deepEqual([one.isLeading, await one.query('select * from notes')], [true, []])
    })

    it('takes the lead from a leader that falls silent, also in the middle of a transaction', async () => {
      const [idle, next, last] = [stand(200), stand(200), stand()]
      await idle.campaign()
      await eventually('the end of a silent session', async () => next.campaign())
      assert.equal(idle.isLeading, false)
      await next.transaction((query) => query('create table notes (text text)'))
      const stuck = next.transaction(async (query) => {
        await query('insert into notes values ($1)', ['never committed'])
        await eventually('the end of a silent transaction', async () => last.campaign())
      })
      await assert.rejects(stuck)
      assert.deepEqual(await last.query('select * from notes'), [])
    })
  })
}
