import assert from 'node:assert/strict'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import { eventually } from '../../../test/support/eventually.ts'
import { type PostgresServer, postgresSources } from '../../../test/support/postgres.ts'
import { createToolWorld, type ToolWorld } from './market/market-world.test-support.ts'
import { BOTH, bearer, INITIALIZE, PING } from './mcp/mcp-world.test-support.ts'
import type { OpenedDatabase } from './storage/database.ts'
import { openDatabase } from './storage/open-database.ts'

const EXCHANGE = '/api/v1/multi-agent/exchange'
const TRADES = { symbol: 'ethusd', streams: ['trade'] }

for (const source of postgresSources()) {
  describe(`platforms that share ${source.name}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let opened: OpenedDatabase[]
    let one: ToolWorld
    let two: ToolWorld
    before(async () => {
      server = await source.open()
    })
    after(() => server?.stop())
    beforeEach(async () => {
      database = await server.createDatabase()
      const deps = { clock: createManualClock(), log: createSilentLogger() }
      const open = () => openDatabase({ dataDir: '', databaseUrl: database.url, maxConnections: 3 }, deps)
      opened = await Promise.all([open(), open()])
      const [first, second] = opened as [OpenedDatabase, OpenedDatabase]
      one = await createToolWorld({ db: first.db })
      two = await createToolWorld({ db: second.db, email: 'bob@example.org', seed: 7 })
      for (const { platform } of [one, two]) await platform.start(new AbortController().signal)
    })
    afterEach(async () => {
      for (const { platform, clock } of [one, two]) {
        const stopped = platform.stop()
        await clock.advance(5_000)
        await stopped
      }
      await Promise.all(opened.map((db) => db.close()))
      await database.drop()
    })
    const mcp = ({ platform }: ToolWorld, body: object, session: Readonly<Record<string, string>> = {}) =>
      fetch(`${platform.server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...BOTH, ...bearer(one.token), ...session },
        body: JSON.stringify(body),
      })

    it('accept a session of each other, and none that the other has deleted', async () => {
      const me = (world: ToolWorld) => world.ask('POST', `${EXCHANGE}/subscribe`, { token: one.token, json: TRADES })
      assert.equal((await me(two)).status, 200)
      const deleted = await two.ask('DELETE', `/api/v1/auth/session/${one.sessionId}`, { token: one.token })
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
      assert.deepEqual([(await me(one)).status, (await me(two)).status], [401, 401])
    })

    it('tell a client of the tool protocol to open another session at the server that lacks its own', async () => {
      const initialized = await mcp(one, INITIALIZE)
      const id = initialized.headers.get('mcp-session-id') as string
      assert.equal((await mcp(one, PING, { 'mcp-session-id': id })).status, 200)
      const elsewhere = await mcp(two, PING, { 'mcp-session-id': id })
      assert.equal(elsewhere.status, 404)
      assert.match(await elsewhere.text(), /This server has no session of the tool protocol with this id for this token: open one/)
      const again = (await mcp(two, INITIALIZE)).headers.get('mcp-session-id') as string
      assert.equal((await mcp(two, PING, { 'mcp-session-id': again })).status, 200)
    })

    it('tell a reader of market data to subscribe again at the server that lacks its subscriptions', async () => {
      await one.ask('POST', `${EXCHANGE}/subscribe`, { token: one.token, json: TRADES })
      const elsewhere = await two.ask('GET', `${EXCHANGE}/stream`, { token: one.token })
      assert.equal(elsewhere.status, 404)
      assert.match(JSON.stringify(elsewhere.body), /no subscriptions at this server: subscribe first/)
      const again = await two.ask('POST', `${EXCHANGE}/subscribe`, { token: one.token, json: TRADES })
      assert.equal(again.status, 200)
    })

    it('elect one that settles trades, and another one when it ends', async () => {
      const [first, second] = opened as [OpenedDatabase, OpenedDatabase]
      const won = await Promise.all(opened.map((db) => db.isLeader()))
      assert.deepEqual([...won].sort(), [false, true])
      const [leader, other] = won[0] ? [first, second] : [second, first]
      assert.equal(await other.isLeader(), false)
      await leader.close()
      opened = [other]
      await eventually('the next election', () => other.isLeader())
    })
  })
}
