import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createManualClock, createMetrics, createSharedBudgets, type ManualClock, type SharedBudgets } from '@keelson/runtime'
import { Redis } from 'ioredis'
import { eventually } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { findRedis, type RedisProcess, startRedis } from '../../../../test/support/redis-process.ts'
import { describeClientBudgets } from '../../../runtime/src/json-rpc/access/client-budgets.test-support.ts'
import { createRedisBuckets } from './redis-buckets.ts'

const RATE = { perSec: 100, burst: 150 }
const { signal } = new AbortController()
const redis = findRedis()
const opened: SharedBudgets[] = []
let run = 0

function openNode(url: string, clock: ManualClock) {
  const log = createRecordingLogger()
  const metrics = createMetrics('node')
  const shared = createSharedBudgets({ buckets: createRedisBuckets(url, log), clock, log, metrics })
  opened.push(shared)
  return { shared, log, isShared: async () => /^node_rpc_limits_shared 1$/m.test((await metrics.render()).text) }
}

function connected({ shared }: ReturnType<typeof openNode>) {
  return eventually('a connection to Redis', async () => {
    await shared.exchange()
    return true
  })
}

const closeNodes = () => Promise.all(opened.splice(0).map((shared) => shared.stop()))

describe('rate limits in Redis that does not answer', () => {
  let silent: Server

  before(async () => {
    silent = createServer(() => undefined)
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
  })
  after(() => silent.close())
  afterEach(closeNodes)

  it('are decided by the node alone, at once, and the state is shown and logged once without the password', async () => {
    const clock = createManualClock()
    const url = `redis://:hidden-word@127.0.0.1:${(silent.address() as AddressInfo).port}`
    const node = openNode(url, clock)
    const budgets = node.shared.open('caller', 10)
    await node.shared.start(signal)
    for (let i = 0; i < 3; i++) {
      assert.equal(budgets.take('a', RATE, 50), 0)
      await clock.advance(0)
    }
    assert.equal(budgets.take('a', RATE, 1), 10)
    await clock.advance(100)
    await eventually('the state is shown', async () => !(await node.isShared()))
    assert.deepEqual([budgets.take('a', RATE, 10), budgets.take('a', RATE, 1)], [0, 10])
    assert.equal(node.log.matching('rate limits are not shared').length, 1)
    assert.ok(!JSON.stringify(node.log.lines).includes('hidden-word'))
  })
})

describe('rate limits in a Redis that answers strangely', () => {
  let server: Server
  let answer: string

  /** Speaks just enough of the protocol for a client to be ready. */
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        for (const command of String(data).split(/(?=\*\d+\r\n\$\d+\r\n[a-z])/i)) {
          if (/^info\b/im.test(command)) socket.write('$9\r\nloading:0\r\n')
          else socket.write(/^eval\b/im.test(command) ? answer : '+OK\r\n')
        }
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())
  afterEach(closeNodes)

  const NO_NUMBERS = /^Redis: the script of rate limits was not answered with 1 number; is the address/
  const ANSWERS: readonly (readonly [string, string, RegExp])[] = [
    ['of another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n', /^Redis: Unknown RESP type/],
    ['without memory', "-OOM command not allowed when used memory > 'maxmemory'.\r\n", /^Redis: OOM command not allowed/],
    ['that wants a password', '-NOAUTH Authentication required.\r\n', /^Redis: NOAUTH Authentication required/],
    ['that never ends', '$999999999999\r\nabc', /^Redis: Command timed out/],
    ['of nothing', '$-1\r\n', NO_NUMBERS],
    ['of a text', '+OK\r\n', NO_NUMBERS],
    ['of no numbers', '*0\r\n', NO_NUMBERS],
    ['of two numbers', '*2\r\n$1\r\n1\r\n$1\r\n1\r\n', NO_NUMBERS],
    ['that is no number', '*1\r\n$3\r\nnan\r\n', NO_NUMBERS],
    ['that is infinite', '*1\r\n$9\r\n-Infinity\r\n', NO_NUMBERS],
  ]
  for (const [what, text, reason] of ANSWERS) {
    it(`${what} are decided by the node alone, which says why`, async () => {
      answer = text
      const clock = createManualClock()
      const node = openNode(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, clock)
      const budgets = node.shared.open('caller', 10)
      assert.equal(budgets.take('a', RATE, 50), 0)
      await assert.rejects(node.shared.exchange(), { message: reason })
      assert.deepEqual([budgets.take('a', RATE, 100), budgets.take('a', RATE, 1)], [0, 10])
    })
  }

  it('with a debt without end refuse a caller for a minute at most', async () => {
    answer = '*1\r\n$6\r\n-1e308\r\n'
    const clock = createManualClock()
    const node = openNode(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`, clock)
    const budgets = node.shared.open('caller', 10)
    budgets.take('a', RATE, 50)
    await node.shared.exchange()
    assert.ok(budgets.take('a', RATE, 1) > 0)
    await clock.advance(61_000)
    assert.equal(budgets.take('a', RATE, 1), 0)
  })
})

describe(`rate limits in ${redis === null ? 'Redis, without a test because no redis-server is installed' : redis.version}`, () => {
  if (redis === null) return
  let server: RedisProcess

  before(async () => {
    server = await startRedis(redis)
  })
  after(() => server.remove())
  afterEach(closeNodes)

  describeClientBudgets('in Redis', (maxClients) => {
    const clock = createManualClock()
    const node = openNode(server.url, clock)
    const budgets = node.shared.open(`suite ${run++}`, maxClients)
    return { budgets, clock, exchange: async () => void (await connected(node)) }
  })

  async function twoNodes() {
    const clock = createManualClock(1_000)
    const kind = `pair ${run++}`
    const nodes = [openNode(server.url, clock), openNode(server.url, clock)] as const
    await Promise.all(nodes.map(connected))
    const [a, b] = nodes.map(({ shared }) => shared.open(kind, 10)) as [
      ReturnType<SharedBudgets['open']>,
      ReturnType<SharedBudgets['open']>,
    ]
    const exchange = async () => {
      for (const { shared } of [...nodes, ...nodes]) await shared.exchange()
    }
    return { clock, a, b, nodes, exchange }
  }

  it('are shared by the first exchange, which waits for the connection instead of a warning', async () => {
    await openNode(server.url, createManualClock(1_000)).shared.exchange()
  })

  it('are not shared, with the reason in the log once, while Redis refuses the password or its memory is full', async () => {
    const port = await freePort()
    const own = await startRedis(redis, port)
    const admin = new Redis(own.url)
    const saysOnce = async (url: string, reason: string) => {
      const clock = createManualClock()
      const node = openNode(url, clock)
      node.shared.open('caller', 10).take('a', RATE, 10)
      await node.shared.start(signal)
      await eventually(reason, async () => {
        await clock.advance(1_000)
        return node.log.matching('are not shared').length === 1
      })
      const said = String(node.log.matching('are not shared')[0]?.fields.reason)
      assert.ok(said.startsWith(reason) && !said.includes('hidden-word'), said)
    }
    try {
      await admin.config('SET', 'maxmemory', '1')
      await saysOnce(own.url, 'Redis: OOM')
      await admin.config('SET', 'maxmemory', '0')
      await admin.config('SET', 'requirepass', 'a-password')
      await saysOnce(own.url, 'Redis: NOAUTH')
      await saysOnce(`redis://:hidden-word@127.0.0.1:${port}`, 'Redis: WRONGPASS')
    } finally {
      admin.disconnect()
      await own.remove()
    }
    await saysOnce(own.url, 'Redis: connect ECONNREFUSED')
  })

  it('are used up at one node for calls at another', async () => {
    const { clock, a, b, exchange } = await twoNodes()
    assert.equal(a.take('x', RATE, 150), 0)
    await exchange()
    assert.equal(b.take('x', RATE, 1), 0, 'before the first exchange, a node knows only its own calls')
    await exchange()
    assert.equal(b.take('x', RATE, 1), 20)
    assert.equal(b.take('y', RATE, 150), 0)
    await clock.advance(20)
    assert.equal(b.take('x', RATE, 1), 0)
  })

  it('hold over time for a client that spreads its calls', async () => {
    const { clock, a, b, exchange } = await twoNodes()
    let taken = 0
    for (let ms = 0; ms < 20_000; ms += 50) {
      for (const node of [a, b]) while (node.take('x', RATE, 1) === 0) taken++
      await exchange()
      await clock.advance(50)
    }
    const allowed = RATE.burst + 20 * RATE.perSec
    assert.ok(taken <= allowed + RATE.burst, `${taken} calls, ${allowed} and one more burst are allowed`)
    assert.ok(taken >= allowed - RATE.burst, `${taken} calls, ${allowed} are allowed`)
  })

  it('are a debt at every node for work that was charged at one', async () => {
    const { a, b, exchange } = await twoNodes()
    a.charge('x', RATE, 250)
    assert.equal(b.take('x', RATE, 1), 0)
    await exchange()
    assert.equal(b.take('x', RATE, 0), 1_010)
  })

  it('are shared again when Redis is back, and by no node before', async () => {
    const { a, b, nodes, clock, exchange } = await twoNodes()
    await server.stop()
    for (const { shared } of nodes) await shared.start(signal)
    assert.equal(a.take('x', RATE, 150), 0)
    await clock.advance(100)
    await eventually('alone', async () => !(await nodes[0].isShared()) && !(await nodes[1].isShared()))
    assert.equal(b.take('x', RATE, 140), 0)
    await server.start()
    await Promise.all(nodes.map(connected))
    assert.ok((await nodes[0].isShared()) && (await nodes[1].isShared()))
    a.take('z', RATE, 150)
    b.take('z', RATE, 1)
    await exchange()
    assert.ok(b.take('z', RATE, 1) > 0)
  })
})
