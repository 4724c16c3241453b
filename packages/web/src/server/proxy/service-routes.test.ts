import assert from 'node:assert/strict'
import { optionParsers } from '@keelson/runtime'
import { rawGet, WebWorld } from '../web-world.test-support.ts'

describe('services behind the server of the pages', () => {
  let world: WebWorld
  beforeEach(async () => {
    world = await WebWorld.open()
  })
  afterEach(() => world.close())

  it('passes a request on below the API of the service, with the caller and without cookies', async () => {
    const web = await world.start()
    await fetch(`${web.url}/api/index/blocks?limit=2&before=7`, { headers: { cookie: 'a=b', authorization: 'Bearer x' } })
    await fetch(`${web.url}/api/faucet/health`)
    const claim = { method: 'POST', headers: { 'content-type': 'application/json', 'idempotency-key': 'k' }, body: '{"address":"0x"}' }
    await fetch(`${web.url}/api/faucet/claim`, claim)
    assert.deepEqual(
      world.received.map(({ method, url, body }) => [method, url, body]),
      [
        ['GET', '/api/blocks?limit=2&before=7', ''],
        ['GET', '/health', ''],
        ['POST', '/api/claim', '{"address":"0x"}'],
      ],
    )
    assert.equal(world.received[0]?.headers.cookie, undefined)
    assert.equal(world.received[0]?.headers.authorization, undefined)
    assert.match(String(world.received[0]?.headers['x-forwarded-for']), /127\.0\.0\.1$/)
    assert.equal(world.received[2]?.headers['idempotency-key'], 'k')
  })

  it('never passes a path on that leaves the API', async () => {
    const web = await world.start()
    for (const path of [
      '/api/index/../health',
      '/api/index/%2e%2e/admin',
      '/api/index/a%2fb',
      '/api/index//x',
      '/api/index/a\\b',
      `/api/index/${'a'.repeat(3_000)}`,
    ]) {
      const answer = await rawGet(web, path)
      assert.match(answer, /^HTTP\/1\.1 4\d\d /, path)
    }
    assert.deepEqual(world.received, [])
  })

  it('refuses methods that a service does not need, services that are missing, and large bodies', async () => {
    const web = await world.start()
    assert.equal((await fetch(`${web.url}/api/index/blocks`, { method: 'POST' })).status, 405)
    assert.equal((await fetch(`${web.url}/api/bridge/status/0x`)).status, 404)
    assert.equal((await fetch(`${web.url}/api/unknown/x`)).status, 404)
    const large = { method: 'POST', headers: { 'content-type': 'application/json' }, body: `"${'a'.repeat(70_000)}"` }
    assert.equal((await fetch(`${web.url}/api/faucet/claim`, large)).status, 413)
    assert.deepEqual(world.received, [])
  })

  it('passes the APIs that forge and Hardhat speak to the index, with the form or the JSON and the caller', async () => {
    const web = await world.start()
    const address = `0x${'ab'.repeat(20)}`
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const rows = [
      ['GET', `/api?module=contract&action=getabi&address=${address}`, '', {}],
      ['GET', '/api/?module=contract&action=checkverifystatus&guid=7', '', {}],
      ['POST', '/api', 'module=contract&action=verifysourcecode&sourceCode=%7B%7D', form],
      ['POST', '/api/?chainid=901', 'module=contract', form],
      ['POST', `/sourcify/v2/verify/901/${address}`, '{"stdJsonInput":{}}', { 'content-type': 'application/json' }],
      ['GET', '/sourcify/v2/verify/8b5f4b9e-0000-4000-8000-000000000000', '', {}],
      ['GET', `/sourcify/v2/contract/901/${address}?fields=all`, '', {}],
    ] as const
    for (const [method, path, body, headers] of rows) {
      assert.equal((await fetch(web.url + path, { method, headers, ...(body === '' ? {} : { body }) })).status, 200, path)
    }
    assert.deepEqual(
      world.received.map(({ method, url, body }) => [method, url, body]),
      rows.map(([method, path, body]) => [method, path, body]),
    )
    for (const { method, url, headers } of world.received) {
      assert.match(String(headers['x-forwarded-for']), /127\.0\.0\.1$/)
      const json = url.startsWith('/sourcify') ? 'application/json' : form['content-type']
      assert.equal(headers['content-type'], method === 'POST' ? json : undefined)
    }
    const tooLarge = await fetch(`${web.url}/api`, { method: 'POST', headers: form, body: `sourceCode=${'a'.repeat(3_200_000)}` })
    assert.equal(tooLarge.status, 413)
  })

  it('passes sources of a contract to the index, two at once per caller, and refuses those that are too large', async () => {
    const web = await world.start()
    const path = `/api/index/contracts/0x${'ab'.repeat(20)}/verify`
    const upload = (text: string) => {
      const body = JSON.stringify({ source: text })
      return fetch(web.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    }
    assert.equal((await upload('a'.repeat(1_100_000))).status, 413)
    assert.equal((await upload('a'.repeat(1_000_000))).status, 200)
    assert.deepEqual(
      world.received.map(({ url, body }) => [url, body.length]),
      [[path.replace('/index', ''), 1_000_013]],
    )
    const held: import('node:http').ServerResponse[] = []
    const two = new Promise<void>((resolve) => {
      world.respond = (_request, response) => held.push(response) === 2 && resolve()
    })
    const waiting = [upload('b'), upload('b')]
    await two
    assert.equal((await upload('b')).status, 429)
    for (const response of held) response.end('{}')
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [200, 200],
    )
  })

  it('keeps status, body and retry-after of a refusal, and lets no answer be a page or set a cookie', async () => {
    const web = await world.start()
    world.respond = (_request, response) =>
      response.writeHead(429, { 'content-type': 'text/html', 'retry-after': '7', 'set-cookie': 'a=b' }).end('<script>alert(1)</script>')
    const answer = await fetch(`${web.url}/api/faucet/status?address=0x`)
    assert.equal(answer.status, 429)
    assert.equal(answer.headers.get('retry-after'), '7')
    assert.equal(answer.headers.get('set-cookie'), null)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  })

  it('answers 502 when a service is gone or answers too much', async () => {
    const gone = await world.start({ services: { index: 'http://127.0.0.1:1', faucet: null, bridge: null, platform: null } })
    const answer = await fetch(`${gone.url}/api/index/blocks`)
    assert.equal(answer.status, 502)
    assert.match(((await answer.json()) as { message: string }).message, /the index does not answer/)
    world.respond = (_request, response) => response.end('a'.repeat(9 * 1024 * 1024))
    assert.equal((await fetch(`${(await world.start()).url}/api/index/blocks`)).status, 502)
  })

  it('limits requests a second, but not for trusted callers', async () => {
    const slow = await world.start({ rate: { perSec: 1, burst: 3 } })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await fetch(`${slow.url}/api/index/blocks`)).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    const trusted = await world.start({ rate: { perSec: 1, burst: 1 }, trusted: [optionParsers.network('127.0.0.0/8')] })
    for (let i = 0; i < 5; i++) assert.equal((await fetch(`${trusted.url}/api/index/blocks`)).status, 200)
  })

  it('lets one caller wait for at most 16 answers at once', async () => {
    const web = await world.start()
    const held: import('node:http').ServerResponse[] = []
    let sixteen: () => void = () => undefined
    const all = new Promise<void>((resolve) => {
      sixteen = resolve
    })
    world.respond = (_request, response) => {
      held.push(response)
      if (held.length === 16) sixteen()
    }
    const waiting = Array.from({ length: 16 }, () => fetch(`${web.url}/api/index/blocks`))
    await all
    const refused = await fetch(`${web.url}/api/index/blocks`)
    assert.equal(refused.status, 429)
    for (const response of held) response.end('{}')
    assert.deepEqual(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([200]))
    world.respond = (_request, response) => response.end('{}')
    assert.equal((await fetch(`${web.url}/api/index/blocks`)).status, 200)
  })
})
