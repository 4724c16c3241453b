import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { Redis } from 'ioredis'
import { eventually } from '../../../../test/support/eventually.ts'
import { findRedis, type RedisProcess, startRedis } from '../../../../test/support/redis-process.ts'
import { createMemoryRateLimits } from './rate-limit-store.ts'
import { createRedisRateLimits, type RedisRateLimits } from './redis-rate-limits.ts'

const LIMIT = { requests: 2, windowMs: 60_000 }

async function deadUrl(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `redis://:hidden-word@127.0.0.1:${port}`
}

function recordingLog() {
  const lines: string[] = []
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log }
  return { lines, log }
}

describe('rate limits in Redis', () => {
  it('are counted locally while Redis is away, which is logged once without the password', async () => {
    const url = await deadUrl()
    const { lines, log } = recordingLog()
    const clock = createManualClock(1_000)
    const limits = createRedisRateLimits(url, createMemoryRateLimits(clock), { clock, log })
    const verdicts = [await limits.take('key', LIMIT), await limits.take('key', LIMIT), await limits.take('key', LIMIT)]
    assert.deepEqual(
      verdicts.map(({ allowed }) => allowed),
      [true, true, false],
    )
    await limits.forget('key')
    assert.equal((await limits.take('key', LIMIT)).remaining, 1)
    await limits.close()
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^Redis is unavailable/)
    assert.ok(!lines.join().includes('hidden-word'))
  })
})

describe('rate limits in a Redis that answers strangely', () => {
  for (const answer of [
    '$-1\r\n',
    '+OK\r\n',
    ':5\r\n',
    '*0\r\n',
    '*4\r\n:1\r\n:1\r\n:1\r\n$1\r\nx\r\n',
    'HTTP/1.1 400\r\n\r\n',
    '-NOAUTH no\r\n',
  ]) {
    it(`are counted locally when it answers ${JSON.stringify(answer)}`, async () => {
      let asked = 0
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.on('data', (data) => {
          for (const command of String(data).split(/(?=\*\d+\r\n\$\d+\r\n[a-z])/i)) {
            if (/^info\b/im.test(command)) socket.write('$9\r\nloading:0\r\n')
            else if (/^eval\b/im.test(command)) {
              asked++
              socket.write(answer)
            } else socket.write('+OK\r\n')
          }
        })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { log } = recordingLog()
      const clock = createManualClock(1_000)
      const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
      const limits = createRedisRateLimits(url, createMemoryRateLimits(clock), { clock, log })
      await eventually('a question to the script', async () => {
        await limits.take('probe', LIMIT)
        return asked > 0
      })
      const allowed: boolean[] = []
      for (let i = 0; i < 3; i++) allowed.push((await limits.take('key', LIMIT)).allowed)
      assert.deepEqual(allowed, [true, true, false])
      await limits.close()
      server.close()
    })
  }
})

const redis = findRedis()

describe(`rate limits in ${redis === null ? 'Redis, without a test because no redis-server is installed' : redis.version}`, () => {
  if (redis === null) return
  let server: RedisProcess
  let opened: RedisRateLimits[]
  let run = 0
  before(async () => {
    server = await startRedis(redis)
  })
  after(() => server.remove())
  beforeEach(() => {
    opened = []
    run++
  })
  afterEach(() => Promise.all(opened.map((limits) => limits.close())))

  /** Resolves once a request is counted in Redis. */
  const open = async () => {
    const { lines, log } = recordingLog()
    const clock = createManualClock(1_000)
    const limits = createRedisRateLimits(server.url, createMemoryRateLimits(clock), { clock, log })
    opened.push(limits)
    const isShared = async () => {
      const probe = `probe ${run}`
      await limits.take(probe, LIMIT)
      const other = new Redis(server.url, { lazyConnect: true })
      await other.connect()
      const counted = await other.exists(`keelson:rate:${probe}`).finally(() => other.disconnect())
      await limits.forget(probe)
      return counted === 1
    }
    await eventually('a connection to Redis', isShared)
    return { limits, lines, clock, isShared }
  }

  it('are one for all servers', async () => {
    const [one, two] = [await open(), await open()]
    const key = `shared ${run}`
    const verdicts = [await one.limits.take(key, LIMIT), await two.limits.take(key, LIMIT), await one.limits.take(key, LIMIT)]
    assert.deepEqual(
      verdicts.map(({ allowed, remaining }) => [allowed, remaining]),
      [
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    )
    assert.ok((verdicts[2]?.retryAfterMs ?? 0) > 0)
    assert.equal(await two.limits.isCounted(key), true)
    await two.limits.giveBack(key, LIMIT)
    assert.equal((await one.limits.take(key, LIMIT)).allowed, true)
    await two.limits.forget(key)
    assert.equal((await one.limits.take(key, LIMIT)).remaining, 1)
  })

  it('are counted by each server alone while Redis is killed, and together again when it is back', async () => {
    const [one, two] = [await open(), await open()]
    const key = `killed ${run}`
    await server.stop()
    for (const { limits } of [one, two]) assert.equal((await limits.take(key, { ...LIMIT, requests: 1 })).allowed, true)
    assert.equal((await one.limits.take(key, { ...LIMIT, requests: 1 })).allowed, false)
    await server.start()
    for (const { isShared } of [one, two]) await eventually('Redis again', isShared)
    await one.limits.take(key, LIMIT)
    assert.equal((await two.limits.take(key, LIMIT)).remaining, 0)
    one.clock.advance(5_000)
    await one.limits.isCounted(key)
    const said = one.lines.slice(-2).map((line) => line.split(' {')[0])
    assert.deepEqual(said, ['Redis is unavailable: each server counts requests for itself', 'Redis is available again'])
  })

  it('are said once to be local while the memory of Redis is full, though it answers reads, and once to be shared again', async () => {
    const { limits, lines, clock } = await open()
    const admin = new Redis(server.url)
    clock.advance(5_000)
    await limits.isCounted('before')
    const before = lines.length
    await admin.config('SET', 'maxmemory', '1')
    for (let i = 0; i < 5; i++) {
      await limits.take(`full ${run} ${i}`, LIMIT)
      await limits.isCounted(`full ${run}`)
      clock.advance(1_000)
    }
    await admin.config('SET', 'maxmemory', '0')
    admin.disconnect()
    clock.advance(5_000)
    await limits.take(`full ${run}`, LIMIT)
    assert.deepEqual(lines.slice(before), [
      'Redis is unavailable: each server counts requests for itself {"error":"OOM"}',
      'Redis is available again {}',
    ])
  })

  it('do not wait a second time for a Redis that hangs, until a second has passed', async () => {
    const { limits, clock } = await open()
    server.signal('SIGSTOP')
    for (const key of ['waited', 'not asked']) assert.equal((await limits.take(key, LIMIT)).remaining, 1)
    await clock.advance(1_000)
    assert.equal((await limits.take('asked again', LIMIT)).remaining, 1)
    server.signal('SIGCONT')
    await clock.advance(1_000)
    await eventually('Redis again', async () => limits.isCounted('asked again'))
    assert.deepEqual([await limits.isCounted('waited'), await limits.isCounted('not asked')], [true, false])
  })
})
