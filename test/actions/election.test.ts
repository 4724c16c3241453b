import assert from 'node:assert/strict'
import { createSilentLogger } from '@keelson/runtime'
import pg from 'pg'
import { createElection, type Election, type Lead } from '../../packages/runtime/src/leader/election.ts'
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
      await eventually('the news', async () => candidate.lead === null)
    }

    it('has one leader, whose place the next takes when it withdraws', async () => {
      const [one, two] = [stand(), stand()]
      const lead = await one.campaign()
      assert.ok(lead !== null)
      assert.deepEqual([await two.campaign(), await one.campaign()], [null, lead])
      await one.withdraw()
      assert.equal(one.lead, null)
      assert.ok((await two.campaign()) !== null)
      assert.equal(await one.campaign(), null)
    })

    it('has one leader when all campaign at once, each several times', async () => {
      const all = [stand(), stand(), stand()]
      const won = await Promise.all(all.flatMap((candidate) => [candidate.campaign(), candidate.campaign()]))
      assert.equal(all.filter(({ lead }) => lead !== null).length, 1)
      assert.equal(won.filter(Boolean).length, 2)
    })

    it('lets a leader write, and no one who lost the lock', async () => {
      const [one, two] = [stand(), stand()]
      const first = (await one.campaign()) as Lead
      await first.transaction((query) => query('create table notes (text text)'))
      const write = (lead: Lead, text: string) => lead.transaction((query) => query('insert into notes values ($1)', [text]))
      await write(first, 'first')
      await endSessionOf(one)
      const second = await eventually('the end of the session', () => two.campaign())
      await assert.rejects(write(first, 'deposed'), { code: 'runtime/not-leader' })
      await write(second, 'second')
      assert.deepEqual(await one.query('select text from notes'), [{ text: 'first' }, { text: 'second' }])
    })

    it('refuses the writes of a lead that ended, also when the same process is elected again', async () => {
      const one = stand()
      const before = (await one.campaign()) as Lead
      await before.transaction((query) => query('create table notes (number integer)'))
      await endSessionOf(one)
      const again = await eventually('the next election', async () => {
        const lead = await one.campaign().catch(() => null)
        return lead === before ? null : lead
      })
      const write = (lead: Lead) => lead.transaction((query) => query('insert into notes values (1)'))
      await assert.rejects(write(before), { code: 'runtime/not-leader' })
      await write(again)
      assert.deepEqual(await one.query('select number from notes'), [{ number: 1 }])
    })

    it('rolls a failed transaction back and keeps the lead', async () => {
      const one = stand()
      const lead = (await one.campaign()) as Lead
      await lead.transaction((query) => query('create table notes (text text)'))
      const failing = lead.transaction(async (query) => {
        await query('insert into notes values ($1)', ['lost'])
        await query('select no_such_column')
      })
      await assert.rejects(failing, { code: '42703' })
      assert.equal(one.lead, lead)
      assert.deepEqual(await one.query('select * from notes'), [])
    })

    it('takes the lead from a leader that falls silent, also in the middle of a transaction', async () => {
      const [idle, next, last] = [stand(200), stand(200), stand()]
      await idle.campaign()
      const lead = await eventually('the end of a silent session', () => next.campaign())
      await eventually('the news', async () => idle.lead === null)
      await lead.transaction((query) => query('create table notes (text text)'))
      const stuck = lead.transaction(async (query) => {
        await query('insert into notes values ($1)', ['never committed'])
        await eventually('the end of a silent transaction', async () => last.campaign())
      })
      await assert.rejects(stuck)
      assert.deepEqual(await last.query('select * from notes'), [])
    })
  })
}
