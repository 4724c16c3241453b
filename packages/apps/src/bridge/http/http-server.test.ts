import assert from 'node:assert/strict'
import { createManualClock, createMetrics, createSilentLogger, parseIpNetwork } from '@keelson/runtime'
import type { StatusAnswer } from '../bridge-status.ts'
import { stateOfRecord, type TransactionRecord } from '../record.ts'
import { statusView } from '../status-view.ts'
import { createBridgeHttp } from './http-server.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const record: TransactionRecord = {
  txHash: HASH as never,
  submittedMs: 1_000_000,
  block: { number: 7, hash: `0x${'07'.repeat(32)}` as never, timestampSec: 1_000 },
  reason: null,
  deposits: [
    {
      logIndex: 3,
      sourceHash: `0x${'05'.repeat(32)}` as never,
      l2TxHash: `0x${'06'.repeat(32)}` as never,
      kind: 'native',
      sender: `0x${'a1'.repeat(20)}` as never,
      recipient: null,
      amount: '340282366920938463463374607431768211456',
      token: null,
      mintWei: '0',
      gasLimit: '100000',
      messageHash: null,
      inclusion: null,
    },
  ],
  reorged: false,
  pool: null,
}
const found: StatusAnswer = {
  kind: 'found',
  status: statusView(record, { nowMs: 1_060_000, l1Head: 9, l1Finalized: null, snapshot: null, estimatedMs: 1_090_000, stale: null }),
}

function serve(answer: StatusAnswer | Error | 'never', options: { cors?: string[]; burst?: number; trouble?: string } = {}) {
  const clock = createManualClock(1_060_000)
  const asked: string[] = []
  const proxies = [parseIpNetwork('127.0.0.1')]
  const { app } = createBridgeHttp(
    {
      host: '127.0.0.1',
      port: 0,
      virtualHosts: [],
      corsOrigins: options.cors ?? [],
      rate: { perSec: 1, burst: options.burst ?? 100 },
      trusted: [],
      proxies: proxies.filter((network) => network !== null),
    },
    {
      bridge: {
        async status(hash) {
          asked.push(hash)
          if (answer instanceof Error) throw answer
          return answer === 'never' ? new Promise<never>(() => undefined) : answer
        },
        trouble: () => (options.trouble === undefined ? null : { reason: options.trouble }),
        lagBlocks: 4,
      },
      withdrawals: null,
      clock,
      log: createSilentLogger(),
      metrics: createMetrics('test'),
    },
  )
  return { app, clock, asked, get: (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers }) }
}

describe('the HTTP port of the bridge', () => {
  it('returns the whole status, numbers beyond 2^53 as text', async () => {
    const { get, asked } = serve(found)
    const response = await get(`/api/status/${HASH.toUpperCase().replace('0X', '0x')}`)
    assert.equal(response.statusCode, 200)
    assert.equal(stateOfRecord(record), 'pending')
    assert.deepEqual(response.json(), JSON.parse(JSON.stringify(found.status)))
    assert.equal(response.json().deposits[0].amount, '340282366920938463463374607431768211456')
    assert.deepEqual(asked, [HASH])
    assert.equal(response.headers['cache-control'], 'no-store')
  })

  it('gives a browser a page, and a program the error as before', async () => {
    const { get } = serve(found)
    const page = await get('/', { accept: 'text/html,application/xhtml+xml' })
    assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(page.body, /bridge transfers.*port 8080/)
    assert.equal((await get('/', { accept: '*/*' })).statusCode, 404)
  })

  it('rejects malformed hashes with the expected format, without a query', async () => {
    const { get, asked } = serve(found)
    for (const bad of ['0x12', `${HASH}00`, HASH.slice(2), `0x${'zz'.repeat(32)}`, 'x'.repeat(5_000), '%00', '']) {
      const response = await get(`/api/status/${bad}`)
      assert.equal(response.statusCode, 400, bad)
      assert.equal(response.json().error, 'malformed-hash')
      assert.match(response.json().expected, /0x and 64 hex digits/)
      assert.ok(response.body.length < 400)
    }
    assert.match((await get(`/api/status/${HASH.slice(2)}`)).json().message, /0x is missing/)
    assert.deepEqual(asked, [])
  })

  it('distinguishes unknown from unavailable, and hides the text of internal errors', async () => {
    assert.equal((await serve({ kind: 'unknown' }).get(`/api/status/${HASH}`)).statusCode, 404)
    const unavailable = await serve({ kind: 'unavailable', reason: 'L1 cannot be asked' }).get(`/api/status/${HASH}`)
    assert.deepEqual([unavailable.statusCode, unavailable.headers['retry-after']], [503, '5'])
    assert.match(unavailable.json().message, /L1 cannot be asked/)
    const broken = await serve(new Error('secret at /home/me')).get(`/api/status/${HASH}`)
    assert.equal(broken.statusCode, 500)
    assert.doesNotMatch(broken.body, /secret|home|stack/)
  })

  it('limits a network with many addresses, and leaves others alone', async () => {
    const { get } = serve(found, { burst: 4 })
    const from = async (ip: string) => (await get(`/api/status/${HASH}`, { 'x-forwarded-for': ip })).statusCode
    const served = async (addresses: readonly string[]) => {
      const codes: number[] = []
      for (const address of addresses) codes.push(await from(address))
      assert.equal(codes.at(-1), 429)
      return codes.filter((code) => code === 200).length
    }
    const hundred = Array.from({ length: 100 }, (_, i) => i.toString(16).padStart(2, '0'))
    assert.equal(await served(hundred.map((host) => `2001:db8:76:${host}::1`)), 4 * 4, 'a /56 has the rate of four callers')
    assert.equal(await served(hundred.map((site) => `2001:db8:77:${site}00::1`)), 4 * 16, 'a /48 has the rate of sixteen')
    assert.deepEqual([await from('2001:db8:78::1'), await from('192.0.2.1')], [200, 200])
  })

  it('stops waiting at the deadline', async () => {
    const { get, clock } = serve('never')
    const answer = get(`/api/status/${HASH}`)
    while (clock.sleepers.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(8_000)
    assert.equal((await answer).statusCode, 503)
  })

  it('serves no other path or method, and accepts no body', async () => {
    const { app, get } = serve(found)
    assert.equal((await get('/')).statusCode, 404)
    const post = await app.inject({ method: 'POST', url: `/api/status/${HASH}`, payload: 'x' })
    assert.ok([405, 415].includes(post.statusCode), String(post.statusCode))
    const large = await app.inject({
      method: 'DELETE',
      url: `/api/status/${HASH}`,
      payload: 'x'.repeat(5_000),
      headers: { 'content-type': 'text/plain' },
    })
    assert.ok(large.statusCode >= 400 && large.statusCode < 500)
  })

  it('counts callers by address and IPv6 /64, through named proxies only', async () => {
    const { get, clock } = serve(found, { burst: 2 })
    const from = (address: string) => get(`/api/status/${HASH}`, { 'x-forwarded-for': address })
    const codes: number[] = []
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.1'])
      codes.push((await from(address)).statusCode)
    assert.deepEqual(codes, [200, 200, 429, 200, 200])
    assert.equal((await from('2001:db8::4')).headers['retry-after'], '1')
    await clock.advance(1_000)
    assert.equal((await from('2001:db8::4')).statusCode, 200)
    for (let i = 0; i < 5; i++) assert.equal((await get('/health', { 'x-forwarded-for': '2001:db8::1' })).statusCode, 200)
  })

  it('allows only configured web origins', async () => {
    const page = { origin: 'https://bridge.example' }
    assert.equal((await serve(found).get(`/api/status/${HASH}`, page)).headers['access-control-allow-origin'], undefined)
    const named = serve(found, { cors: ['https://bridge.example'] })
    const answered = await named.get(`/api/status/${HASH}`, page)
    assert.deepEqual([answered.headers['access-control-allow-origin'], answered.headers.vary], ['https://bridge.example', 'origin'])
    assert.equal(
      (await named.get(`/api/status/${HASH}`, { origin: 'https://evil.example' })).headers['access-control-allow-origin'],
      undefined,
    )
    const preflight = await named.app.inject({ method: 'OPTIONS', url: `/api/status/${HASH}`, headers: page })
    assert.deepEqual([preflight.statusCode, preflight.headers['access-control-allow-methods']], [204, 'GET, HEAD, OPTIONS'])
    assert.equal((await serve(found, { cors: ['*'] }).get(`/api/status/${HASH}`, page)).headers['access-control-allow-origin'], '*')
  })

  it('reports the problem in /health', async () => {
    assert.deepEqual((await serve(found).get('/health')).json(), { ok: true, reason: null, indexLagBlocks: 4 })
    const ill = await serve(found, { trouble: 'L2 cannot be asked' }).get('/health')
    assert.deepEqual([ill.statusCode, ill.json().reason], [503, 'L2 cannot be asked'])
  })

  it('uses one format for errors, also before a route is reached', async () => {
    const clock = createManualClock(1_060_000)
    const bridge = { status: async () => ({ kind: 'unknown' }) as const, trouble: () => null, lagBlocks: 0 }
    const limits = { rate: { perSec: 100, burst: 100 }, trusted: [], proxies: [], corsOrigins: [] }
    const { app } = createBridgeHttp(
      { host: '127.0.0.1', port: 0, virtualHosts: [], ...limits },
      { bridge, withdrawals: null, clock, log: createSilentLogger(), metrics: createMetrics('test') },
    )
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    try {
      for (const [path, status, error] of [
        ['/api/status/%zz', 400, 'bad-request'],
        [`/api/status/${'0'.repeat(20_000)}`, 431, 'bad-request'],
        ['/api/status/0x12', 400, 'malformed-hash'],
        [`/api/status/${HASH}`, 404, 'unknown-transaction'],
      ] as const) {
        const response = await fetch(url + path)
        const body = (await response.json()) as Record<string, string>
        assert.deepEqual([response.status, Object.keys(body), body.error], [status, ['error', 'message', 'expected'], error])
        if (status === 404) assert.match(body.message as string, new RegExp(`/api/withdrawals/${HASH}`))
      }
    } finally {
      await app.close()
    }
  })
})
