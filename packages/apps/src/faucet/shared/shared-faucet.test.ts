import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createManualClock, createMetrics, createSilentLogger, type IpNetwork, type ManualClock, parseIpNetwork } from '@keelson/runtime'
import pg from 'pg'
import { claimE2ePorts } from '../../../../../test/support/e2e-ports.ts'
import { eventually } from '../../../../../test/support/eventually.ts'
import {
  AMOUNT_WEI,
  addressOf,
  CHAIN_ID,
  createFaucetWorld,
  type FaucetWorld,
  GENESIS_HASH,
  START_MS,
} from '../../../../../test/support/faucet-world.ts'
import { type PostgresServer, postgresSources } from '../../../../../test/support/postgres.ts'
import { createEntrance } from '../http/entrance.ts'
import { openFaucetElection } from '../storage/shared-storage.ts'
import { createSharedFaucet, type SharedFaucet } from './shared-faucet.ts'

const HOST = '127.0.0.1'

interface Instance {
  readonly url: string
  readonly shared: SharedFaucet
  running: boolean
}

for (const source of postgresSources()) {
  describe(`faucets that share ${source.name}`, () => {
    let server: PostgresServer
    let database: Awaited<ReturnType<PostgresServer['createDatabase']>>
    let clock: ManualClock
    let world: FaucetWorld
    let instances: Instance[]
    let ports: number
    before(async () => {
      server = await source.open()
      ports = (await claimE2ePorts()).spare
    })
    after(() => server?.stop())
    beforeEach(async () => {
      database = await server.createDatabase()
      clock = createManualClock(START_MS)
      world = await createFaucetWorld({ trustedProxies: [parseIpNetwork(`${HOST}/32`) as IpNetwork] }, { clock })
      instances = []
      for (const i of [0, 1]) instances.push(await open(i))
    })
    afterEach(async () => {
      for (const instance of instances) await end(instance)
      await database.drop()
    })

    async function open(i: number): Promise<Instance> {
      const [log, port] = [createSilentLogger(), ports + i]
      const url = `http://${HOST}:${port}`
      const entrance = createEntrance({ host: HOST, port, virtualHosts: [], trustedProxies: [] }, { clock, log })
      const identity = { chainId: CHAIN_ID, genesisHash: GENESIS_HASH }
      const election = openFaucetElection(database.url, log)
      const { openFaucet } = world
      const shared = createSharedFaucet(
        { ...identity, instanceUrl: url, answerTimeoutMs: 30_000 },
        { election, entrance, openFaucet, clock, log, metrics: createMetrics('faucet') },
      )
      const instance = { url, shared, running: true }
      await shared.start(new AbortController().signal)
      await eventually('the first step', async () => (await ready(instance)) || (await tick()))
      return instance
    }
    async function end(instance: Instance): Promise<void> {
      if (instance.running) await instance.shared.stop()
      instance.running = false
    }
    const tick = () => clock.advance(1_000).then(() => false)
    const ready = async ({ shared }: Instance) => {
      const results = await Promise.all(shared.checks.map(({ check }) => check()))
      return results.every(({ ok }) => ok)
    }
    const claim = async ({ url }: Instance, n: number, key = `key-${n}`, ip = `10.0.${n}.1`) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key, 'x-forwarded-for': ip, connection: 'close' }
      const response = await fetch(`${url}/api/claim`, { method: 'POST', headers, body: JSON.stringify({ address: addressOf(n) }) })
      return { status: response.status, body: (await response.json()) as { code?: string; txHash?: string; error?: string } }
    }
    const statusOf = async ({ url }: Instance, n: number) =>
      (await (await fetch(`${url}/api/status?address=${addressOf(n)}`)).json()) as Record<string, unknown>
    const leaderAndStandby = () => [...instances].sort((a, b) => Number(b.shared.faucet !== null) - Number(a.shared.faucet !== null))
    const subscribersOf = ({ shared }: Instance) => [...(shared.faucet?.records.all() ?? [])].map(({ subscriber }) => subscriber)
    const endTheSession = async () => {
      const admin = new pg.Client({ connectionString: database.url })
      await admin.connect()
      await admin.query("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted")
      await admin.end()
    }
    async function pay(until: () => boolean | Promise<boolean>): Promise<void> {
      await eventually('the payments', async () => {
        await clock.advance(1_000)
        world.chain.mine(1)
        return until()
      })
    }

    it('pass on the body of a GET as a body, not as another request of a proxy', async () => {
      const [, standby] = leaderAndStandby() as [Instance, Instance]
      const json = JSON.stringify({ address: addressOf(9) })
      const headers = ['host: x', 'content-type: application/json', 'idempotency-key: hidden', 'x-forwarded-for: 10.9.9.9']
      const hidden = ['POST /api/claim HTTP/1.1', ...headers, `content-length: ${json.length}`, '', json].join('\r\n')
      const outer = ['GET /health HTTP/1.1', 'host: x', 'transfer-encoding: chunked', '', hidden.length.toString(16), hidden, '0', '', '']
      const socket = connect(Number(new URL(standby.url).port), HOST)
      socket.write(outer.join('\r\n'))
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      assert.match(answer.toString(), /^HTTP\/1\.1 200 /)
      assert.equal((await claim(standby, 8)).status, 200, 'on the connection that would have carried the hidden request')
      assert.equal((await claim(standby, 9, 'hidden-not')).status, 200, 'this address has claimed nothing before')
      assert.equal((await fetch(`${standby.url}/api/claim`, { method: 'POST', body: 'a'.repeat(9_000) })).status, 413)
    })

    it('answer alike: one leads, the other passes requests on', async () => {
      const [leader, standby] = leaderAndStandby() as [Instance, Instance]
      assert.deepEqual([leader.shared.faucet === null, standby.shared.faucet], [false, null])
      assert.deepEqual((await claim(leader, 1)).status, 200)
      const passedOn = await claim(standby, 2)
      assert.equal(passedOn.status, 200, JSON.stringify(passedOn))
      assert.equal((await claim(standby, 1)).body.txHash, (await claim(leader, 1)).body.txHash, 'one key, one payment')
      assert.equal((await claim(standby, 2, 'another')).body.code, 'address-limit')
      assert.deepEqual(await statusOf(standby, 2), await statusOf(leader, 2))
      assert.equal((await fetch(`${standby.url}/no-such-path`)).status, 404)
      await pay(() => world.paidWei(addressOf(1)) === AMOUNT_WEI && world.paidWei(addressOf(2)) === AMOUNT_WEI)
    })

    it('count a caller alike on every instance', async () => {
      const [leader, standby] = leaderAndStandby() as [Instance, Instance]
      const from = (instance: Instance, n: number) => claim(instance, n, undefined, '10.0.0.1')
      await from(leader, 3)
      await from(standby, 4)
      const [first, second] = subscribersOf(leader)
      assert.equal(second, first)
    })

    it('pay what the leader recorded before it ended, and nothing twice', async () => {
      const [leader, standby] = leaderAndStandby() as [Instance, Instance]
      assert.equal((await claim(leader, 1)).status, 200)
      await end(leader)
      await pay(() => standby.shared.faucet !== null)
      await pay(() => world.paidWei(addressOf(1)) === AMOUNT_WEI)
      assert.equal((await claim(standby, 1, 'new-key')).body.code, 'address-limit')
      assert.equal((await claim(standby, 2)).status, 200)
      await pay(() => world.paidWei(addressOf(2)) === AMOUNT_WEI)
      assert.equal(world.paidWei(addressOf(1)), AMOUNT_WEI)
    })

    it('tell the others who leads, also when the first attempt fails', async () => {
      const [leader, standby] = leaderAndStandby() as [Instance, Instance]
      const admin = new pg.Client({ connectionString: database.url })
      await admin.connect()
      await admin.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
        create trigger refuse before update on faucet_facts for each row execute function refuse()`)
      await end(leader)
      await pay(async () => standby.shared.faucet !== null && !(await ready(standby)))
      await admin.query('drop trigger refuse on faucet_facts')
      const announced = async () => (await admin.query("select value from faucet_facts where name = 'leader'")).rows[0]?.value
      await pay(async () => (await announced()) === standby.url)
      await admin.end()
      assert.ok(await ready(standby))
    })

    it('do not pay again what another one paid between two leads of one process', async () => {
      const [paused, other] = leaderAndStandby() as [Instance, Instance]
      await endTheSession()
      await eventually('the election of the other', async () => {
        await other.shared.step()
        return other.shared.faucet !== null
      })
      await eventually('the claim', async () => {
        await other.shared.faucet?.step()
        return (await claim(other, 1)).status === 200
      })
      await end(other)
      const before = paused.shared.faucet
      await eventually('the second lead', async () => {
        await paused.shared.step()
        return paused.shared.faucet !== null && paused.shared.faucet !== before
      })
      await eventually('the answer of the chain', async () => {
        await paused.shared.faucet?.step()
        return (await claim(paused, 1, 'another-key')).body.code === 'address-limit'
      })
      await pay(() => world.paidWei(addressOf(1)) > 0n)
      assert.equal(world.paidWei(addressOf(1)), AMOUNT_WEI)
    })

    it('refuse the claims of a leader that lost its session, until one of them is elected', async () => {
      const [leader] = leaderAndStandby() as [Instance, Instance]
      await endTheSession()
      const lost = await claim(leader, 1)
      assert.ok([200, 503].includes(lost.status), JSON.stringify(lost))
      await pay(async () => (await Promise.all(instances.map(ready))).every(Boolean))
      assert.equal(instances.filter(({ shared }) => shared.faucet !== null).length, 1)
      await eventually('the claim', async () => {
        await clock.advance(1_000)
        return (await claim(leader, 1)).status === 200
      })
      await pay(() => world.paidWei(addressOf(1)) === AMOUNT_WEI)
    })

    it('say what is wrong while the database is away', async () => {
      const [leader, standby] = leaderAndStandby() as [Instance, Instance]
      await database.drop()
      await eventually('the alarm', async () => {
        await tick()
        return !((await ready(leader)) || (await ready(standby)))
      })
      const results = await Promise.all(leader.shared.checks.map(({ check }) => check()))
      const said = results.find(({ ok }) => !ok) as { reason: string; remedy: string }
      assert.match(said.reason, /^PostgreSQL does not answer: /)
      assert.match(said.remedy, /--database-url/)
      const refused = await claim(leader, 1)
      assert.deepEqual([refused.status, refused.body.code], [503, 'no-leader'])
      assert.throws(() => standby.shared.task('status', {}), { code: 'apps/faucet-standby' })
      for (const instance of instances) await end(instance)
      database = await server.createDatabase()
    })
  })
}
