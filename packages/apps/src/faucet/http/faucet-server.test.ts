import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { parseIpNetwork } from '@keelson/runtime'
import { addressOf, CHAIN_ID, createFaucetWorld, FAUCET_ADDRESS, type FaucetWorld } from '../../../../../test/support/faucet-world.ts'
import type { FaucetOptions } from '../create-faucet.ts'
import { type AccountProvider, createLocalAccounts } from '../tiers/linked-accounts.ts'
import { callerOf } from './caller.ts'

const LOOPBACK = parseIpNetwork('127.0.0.1')
const NEXT_DAY = '2026-01-02T00:00:00.000Z'
const NOW = '2026-01-01T00:00:00.000Z'

describe('the faucet over HTTP', () => {
  let world: FaucetWorld
  let stopping: AbortController

  async function open(
    options: Partial<FaucetOptions> = {},
    ready = true,
    accounts: AccountProvider = createLocalAccounts('http://faucet.example'),
  ) {
    assert.ok(LOOPBACK !== null)
    world = await createFaucetWorld({ trustedProxies: [LOOPBACK], ...options }, { accounts })
    if (ready) await world.step()
    stopping = new AbortController()
    await world.faucet.server.start(stopping.signal)
  }
  afterEach(async () => {
    stopping.abort()
    await world.faucet.server.stop()
  })

  async function ask(path: string, init: RequestInit = {}) {
    const response = await fetch(world.faucet.server.url + path, { redirect: 'manual', ...init })
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json')
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const claim = (address: string, ip: string) => post('/api/claim', { address }, { 'x-forwarded-for': ip })

  it('returns claims and refusals as specified', async () => {
    await open()
    const paid = await claim(addressOf(1), '192.0.2.1')
    assert.equal(paid.status, 200)
    assert.deepEqual(Object.keys(paid.body).sort(), ['amount', 'nextClaimTime', 'success', 'txHash'])
    assert.deepEqual([paid.body.success, paid.body.amount, paid.body.nextClaimTime], [true, '10000000000000000000', NEXT_DAY])
    assert.equal(paid.headers.get('cache-control'), 'no-store')
    const refused = await claim(addressOf(1), '192.0.2.2')
    assert.deepEqual([refused.status, refused.body.success, refused.body.nextClaimTime], [429, false, NEXT_DAY])
    assert.equal(refused.headers.get('retry-after'), '86400')
    assert.match(refused.body.error, /has used all its claims as anonymous: claim again after 2026-01-02/)
  })

  it('takes null for an absent captcha, and ignores fields that it does not know', async () => {
    await open()
    const paid = await post('/api/claim', { address: addressOf(1), captcha: null, chain: 'x' })
    assert.deepEqual([paid.status, paid.body.success], [200, true])
    assert.equal((await post('/api/claim', { address: null })).status, 400)
  })

  it('takes a slash at the end of a path and a byte order mark, and no bytes that are not UTF-8 (RFC 8259 section 8.1)', async () => {
    await open()
    assert.equal((await ask('/api/tiers/')).status, 200)
    assert.equal((await ask('/api/tiers//')).status, 404)
    const wrong = await ask('/api/claim/')
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS'])
    const claimBytes = (text: string) =>
      ask('/api/claim/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: Buffer.from(text, 'latin1') })
    const json = JSON.stringify({ address: addressOf(1) })
    assert.equal((await claimBytes(json.replace('}', ', "captcha": "\xff"}'))).status, 400)
    assert.equal((await claimBytes(`\xef\xbb\xbf${json}`)).status, 200)
  })

  it('gives a browser a page that names the form, and a program the error as before', async () => {
    await open()
    const page = await ask('/', { headers: { accept: 'text/html,application/xhtml+xml' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.match(page.text, /the faucet.*port 8080.*<a href="\/api\/tiers">/)
    assert.equal((await ask('/', { headers: { accept: 'application/json' } })).status, 404)
    assert.equal((await ask('/nothing', { headers: { accept: 'text/html' } })).status, 404)
  })

  it('tells the limits of its tiers, and which accounts verify an address', async () => {
    await open()
    const { body } = await ask('/api/tiers')
    assert.deepEqual(body, {
      tiers: [
        { tier: 'anonymous', claims: 1, windowSeconds: 86_400 },
        { tier: 'verified', claims: 5, windowSeconds: 43_200 },
        { tier: 'developer', claims: 10, windowSeconds: 86_400 },
      ],
      accounts: 'local',
    })
  })

  it('allows ten claims a day per IPv4 address and per IPv6 /64', async () => {
    await open()
    const statuses = async (ips: readonly string[], from: number) =>
      Promise.all(ips.map(async (ip, i) => (await claim(addressOf(from + i), ip)).status))
    const wide = Array.from({ length: 12 }, (_, i) => `2001:db8:1:2:${i.toString(16)}::1`)
    const wideStatuses = await statuses(wide, 100)
    assert.equal(wideStatuses.filter((status) => status === 200).length, 10)
    assert.deepEqual(await statuses(['2001:db8:1:3::1', '192.0.2.9', '::ffff:192.0.2.9'], 200), [200, 200, 200])
    const invented = Array.from({ length: 11 }, (_, i) => `203.0.113.${i}, 198.51.100.7`)
    assert.equal((await statuses(invented, 300)).filter((status) => status === 200).length, 10)
  })

  it('ignores the header of untrusted peers', () => {
    const proxies = [parseIpNetwork('10.0.0.0/8')].filter((network) => network !== null)
    assert.deepEqual(callerOf('192.0.2.1', '203.0.113.5', proxies), { subscriber: '4:c0000201', ip: '192.0.2.1' })
    assert.deepEqual(callerOf('10.0.0.1', '203.0.113.5', proxies), { subscriber: '4:cb007105', ip: '203.0.113.5' })
    assert.equal(callerOf('10.0.0.1', '2001:db8::7', proxies).subscriber, '6:20010db800000000')
  })

  it('rejects invalid claims with an error and the next claim time', async () => {
    await open()
    const cases: readonly (readonly [unknown, number])[] = [
      [{}, 400],
      ['{', 400],
      [{ address: 12 }, 400],
      [{ address: '0x12' }, 400],
      [{ address: addressOf(1), captcha: 5 }, 400],
      [[], 400],
      [{ address: FAUCET_ADDRESS }, 400],
      [{ address: addressOf(1), captcha: 'x'.repeat(9_000) }, 413],
    ]
    for (const [body, status] of cases) {
      const { status: found, body: answer } = await post('/api/claim', body)
      assert.equal(found, status, JSON.stringify(body).slice(0, 60))
      assert.deepEqual([answer.success, typeof answer.error, answer.nextClaimTime], [false, 'string', NOW])
    }
    for (const type of ['text/xml', 'text/plain', 'application/x-www-form-urlencoded']) {
      const { status, body } = await post('/api/claim', '{}', { 'content-type': type })
      assert.deepEqual([status, body.code, body.nextClaimTime], [415, 'content-type', NOW])
      assert.equal(body.error, `expected the header content-type: application/json, got ${type}`)
    }
    const got = await ask('/api/claim')
    assert.deepEqual([got.status, got.body.code, got.headers.get('allow')], [405, 'method-not-allowed', 'POST, OPTIONS'])
    const undecodable = await ask('/api/%zz')
    assert.deepEqual([undecodable.status, undecodable.body.code, undecodable.body.success], [400, 'request', false])
    const long = await ask(`/api/status?address=${'x'.repeat(20_000)}`)
    assert.deepEqual([long.status, long.body.code, long.body.success], [431, 'request', false])
    assert.equal((await post('/api/claim', { address: addressOf(1) }, { 'idempotency-key': 'a b' })).status, 400)
    assert.equal((await ask('/api/nothing')).status, 404)
  })

  it('limits requests of any kind before it does any work', async () => {
    await open({ requestsPerSec: 1, requestBurst: 3 })
    const from = { headers: { 'x-forwarded-for': '192.0.2.1' } }
    for (let i = 0; i < 3; i++) assert.equal((await ask('/health', from)).status, 200)
    const { status, headers, body } = await ask('/health', from)
    assert.deepEqual([status, headers.get('retry-after'), body.code], [429, '1', 'rate-limited'])
    assert.equal((await ask('/health', { headers: { 'x-forwarded-for': '192.0.2.2' } })).status, 200)
    await world.clock.advance(1_000)
    assert.equal((await ask('/health', from)).status, 200)
  })

  it('allows web pages of configured origins', async () => {
    await open({ corsOrigins: ['https://app.example'] })
    const preflight = (origin: string) =>
      ask('/api/claim', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
    const known = await preflight('https://app.example')
    assert.equal(known.status, 204)
    assert.equal(known.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.equal(known.headers.get('access-control-allow-headers'), 'content-type, idempotency-key')
    assert.equal((await preflight('https://evil.example')).headers.get('access-control-allow-origin'), null)
  })

  it('reports the remaining claims of an address', async () => {
    await open()
    const status = async (address: string) => (await ask(`/api/status?address=${address}`)).body
    assert.deepEqual(await status(addressOf(1)), {
      address: addressOf(1),
      tier: 'anonymous',
      amount: '10000000000000000000',
      quota: { claims: 1, windowSeconds: 86_400, left: 1 },
      nextClaimTime: NOW,
      lastClaim: null,
    })
    const { txHash } = (await claim(addressOf(1), '192.0.2.1')).body
    const after = await status(addressOf(1))
    assert.deepEqual(
      [after.quota.left, after.nextClaimTime, after.lastClaim],
      [0, NEXT_DAY, { time: NOW, state: 'sent', amount: '10000000000000000000', txHash }],
    )
    await world.faucet.task('grant', { address: addressOf(1) })
    assert.deepEqual((await status(addressOf(1))).quota, { claims: 10, windowSeconds: 86_400, left: 9 })
    assert.equal((await ask('/api/status')).status, 400)
  })

  it('reports when it cannot pay', async () => {
    await open({}, false)
    assert.deepEqual([(await ask('/health')).status, (await claim(addressOf(1), '192.0.2.1')).status], [503, 503])
    await world.step()
    const { status, body } = await ask('/health')
    assert.deepEqual([status, body.chainId, body.account], [200, String(CHAIN_ID), FAUCET_ADDRESS])
  })

  it('shows the code of a sign-in only to the user, and escapes their text', async () => {
    await open()
    const { body } = await post('/api/challenge', { address: addressOf(1), purpose: 'verify' })
    const { state } = Object.fromEntries(new URL(body.signInUrl).searchParams)
    const form = await ask(`/api/verify/local?${new URLSearchParams({ state: state as string })}`)
    assert.equal(form.status, 200)
    assert.match(form.text, new RegExp(`<input type="hidden" name="state" value="${state}">[\\s\\S]*<input name="login" required`))
    const markup = await ask(`/api/verify/local?${new URLSearchParams({ state: '"><b>' })}`)
    assert.ok(!markup.text.includes('<b>'))
    const local = await ask(`/api/verify/local?${new URLSearchParams({ state: state as string, login: 'ann' })}`)
    assert.equal(local.status, 303)
    const page = await ask(local.headers.get('location') as string)
    assert.match(page.text, /<p>[A-Z0-9]{8}<\/p>/)
    assert.match(page.headers.get('content-security-policy') as string, /default-src 'none'/)
    const bad = await ask(`/api/verify/callback?${new URLSearchParams({ state: state as string, code: '<b>' })}`)
    assert.equal(bad.status, 403)
    assert.ok(!bad.text.includes('<b>'))
    const proof = { address: addressOf(1), nonce: body.nonce, code: 'WRONG', signature: `0x${'00'.repeat(65)}` }
    assert.equal((await post('/api/verify', proof)).status, 403)
    const lines = await post('/api/apply', { ...proof, contact: 'x', project: 'two\nlines' })
    assert.deepEqual([lines.status, lines.body.error], [400, '"project": expected one line without control characters'])
  })

  it('prevents one caller from holding all connections', async () => {
    await open({ trustedProxies: [] })
    const { hostname, port } = new URL(world.faucet.server.url)
    const sockets = Array.from({ length: 64 }, () => connect({ host: hostname, port: Number(port) }))
    try {
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      assert.equal((await ask('/health')).status, 503)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })

  it('limits calls to the account provider per caller', async () => {
    const local = createLocalAccounts('http://faucet.example')
    let asked = 0
    const accounts: AccountProvider = {
      ...local,
      name: 'elsewhere',
      async signIn() {
        asked++
        return { ok: false, reason: 'refused', text: 'the sign-in was not confirmed' }
      },
    }
    await open({}, true, accounts)
    const { body } = await post('/api/challenge', { address: addressOf(1), purpose: 'verify' })
    const { state } = Object.fromEntries(new URL(body.signInUrl).searchParams)
    const path = `/api/verify/callback?${new URLSearchParams({ state: state as string, code: 'guessed' })}`
    const from = async (ip: string) => (await ask(path, { headers: { 'x-forwarded-for': ip } })).status
    const statuses: number[] = []
    for (let i = 0; i < 50; i++) statuses.push(await from('192.0.2.1'))
    assert.deepEqual([statuses.filter((status) => status === 403).length, statuses.at(-1), asked], [10, 429, 10])
    assert.equal(await from('198.51.100.1'), 403)
  })
})
