import assert from 'node:assert/strict'
import { createManualClock } from '../../clock.ts'
import { type IpNetwork, parseIpNetwork } from '../../http/ip-address.ts'
import { type ApiKeys, apiKeyDigest, decodeApiKeys, NO_API_KEYS } from './api-keys.ts'
import { createRpcAccess, type RequestOrigin, type RpcAccess, type RpcCaller } from './rpc-access.ts'

const networks = (...texts: string[]) => texts.map((text) => parseIpNetwork(text) as IpNetwork)
const from = (peer: string, extra: Partial<RequestOrigin> = {}): RequestOrigin => ({
  peer,
  forwardedFor: undefined,
  authorization: undefined,
  path: '/',
  ...extra,
})

function keysOf(...entries: readonly (readonly [string, string])[]): ApiKeys {
  const keys = entries.map(([name, tier]) => ({ name, tier, sha256: apiKeyDigest(`secret-${name}`) }))
  const decoded = decodeApiKeys(JSON.stringify({ tiers: { enterprise: { perSec: 2000, burst: 4000 } }, keys }))
  assert.ok(decoded.ok)
  return decoded.keys
}

function accessWith(keys: () => ApiKeys = () => keysOf(['dev', 'developer'], ['acme', 'enterprise'])) {
  const clock = createManualClock()
  const access = createRpcAccess({ trusted: networks('127.0.0.0/8', '::1'), proxies: networks('10.0.0.0/8', '127.0.0.9') }, { clock, keys })
  return { clock, access }
}

function callerOf(access: RpcAccess, origin: RequestOrigin): RpcCaller {
  const entry = access.identify(origin)
  assert.ok(entry.ok, 'let in')
  return entry.caller
}

function refusalOf(access: RpcAccess, origin: RequestOrigin) {
  const entry = access.identify(origin)
  assert.ok(!entry.ok, 'refused')
  return entry
}

function taken(caller: RpcCaller): number {
  let count = 0
  while (count < 10_000 && caller.take(1) === 0) count++
  return count
}

describe('access to the RPC', () => {
  it('is 100 calls per second with a burst of 150 for an address, over all its connections', async () => {
    const { access, clock } = accessWith()
    assert.equal(taken(callerOf(access, from('203.0.113.1'))), 150)
    assert.equal(callerOf(access, from('203.0.113.1')).take(1), 10)
    assert.equal(taken(callerOf(access, from('203.0.113.2'))), 150)
    await clock.advance(1000)
    assert.equal(taken(callerOf(access, from('::ffff:203.0.113.1'))), 100)
    assert.deepEqual([callerOf(access, from('203.0.113.1')).tier, callerOf(access, from('203.0.113.1')).burst], ['anonymous', 150])
  })

  const NETWORKS: readonly (readonly [string, number, (n: number) => string])[] = [
    ['a /56 of IPv6', 4, (n) => `2001:db8:77:12${(n % 256).toString(16).padStart(2, '0')}::1`],
    ['a /48', 16, (n) => `2001:db8:77:${(n * 256).toString(16)}::1`],
    ['a /32', 64, (n) => `2001:db8:${n.toString(16)}::1`],
    ['an IPv4 /24', 16, (n) => `203.0.113.${n}`],
    ['an IPv4 /16', 64, (n) => `203.1.${n}.1`],
  ]
  for (const [name, callers, address] of NETWORKS) {
    it(`gives ${name} the rate of ${callers} callers, however many addresses ask`, async () => {
      const { access, clock } = accessWith()
      const all = Array.from({ length: 100 }, (_, n) => callerOf(access, from(address(n))))
      const takenByAll = () => all.reduce((sum, caller) => sum + taken(caller), 0)
      assert.equal(takenByAll(), callers * 150)
      assert.equal(taken(callerOf(access, from('198.51.100.1'))), 150, 'others have theirs')
      await clock.advance(1_000)
      assert.equal(takenByAll(), callers * 100)
      const waitMs = all[99]?.take(150) ?? 0
      assert.ok(waitMs > 0)
      await clock.advance(2_000)
      assert.equal(all[99]?.take(150), 0, 'refused calls took nothing')
      all[0]?.charge(callers * 10_000)
      assert.ok((all[50]?.take(0) ?? 0) > 0, 'work on credit is charged to the network too')
    })
  }

  it('counts IPv6 callers by their /64', () => {
    const { access } = accessWith()
    assert.equal(taken(callerOf(access, from('2001:db8::1'))), 150)
    assert.equal(taken(callerOf(access, from('2001:db8::ffff:2'))), 0)
    assert.equal(taken(callerOf(access, from('2001:db8:0:1::1'))), 150)
  })

  it('is 500 with 750 for a developer key, in the path or as a bearer token, from anywhere', async () => {
    const { access, clock } = accessWith()
    const inPath = from('203.0.113.1', { path: '/v1/secret-dev' })
    const inHeader = from('198.51.100.1', { authorization: 'Bearer secret-dev' })
    assert.equal(taken(callerOf(access, inPath)), 750)
    assert.equal(taken(callerOf(access, inHeader)), 0)
    await clock.advance(1000)
    assert.equal(taken(callerOf(access, inHeader)), 500)
    assert.equal(callerOf(access, from('203.0.113.1', { path: '/v1/secret-dev/', authorization: 'bearer secret-dev' })).tier, 'developer')
    assert.equal(taken(callerOf(access, from('203.0.113.1'))), 150)
    assert.equal(taken(callerOf(access, from('203.0.113.1', { path: '/v1/secret-acme' }))), 4000)
  })

  it('is refused with an unknown key, never silently anonymous, and the key is not shown', () => {
    const { access } = accessWith()
    for (const extra of [
      { path: '/v1/secret-nobody' },
      { authorization: 'Bearer secret-nobody' },
      { authorization: 'Basic c2VjcmV0LW5vYm9keQ==' },
      { authorization: 'secret-dev' },
      { authorization: '' },
      { path: '/v1/secret-dev', authorization: 'Bearer secret-acme' },
      { path: `/v1/${'x'.repeat(10_000)}` },
    ]) {
      const { status, message } = refusalOf(access, from('203.0.113.1', extra))
      assert.equal(status, 401, JSON.stringify(extra).slice(0, 80))
      assert.ok(!message.includes('secret-') && !message.includes('xxx'))
    }
    assert.equal(
      refusalOf(createRpcAccess({ trusted: [], proxies: [] }, { clock: createManualClock() }), from('::1', { path: '/v1/x' })).status,
      401,
    )
  })

  it('limits guesses of keys to the rate of calls', async () => {
    const { access, clock } = accessWith()
    const guess = from('203.0.113.1', { path: '/v1/guess' })
    const answers = Array.from({ length: 200 }, () => refusalOf(access, guess))
    assert.equal(answers.filter(({ status }) => status === 401).length, 150)
    assert.deepEqual([answers.at(-1)?.status, answers.at(-1)?.waitMs], [429, 10])
    assert.equal(callerOf(access, from('203.0.113.1', { path: '/v1/secret-dev' })).take(1), 0)
    await clock.advance(10)
    assert.equal(refusalOf(access, guess).status, 401)
  })

  it('is at the root and under /v1 only', () => {
    const { access } = accessWith()
    for (const path of ['/rpc', '/v1', '/v1/', '/v2/secret-dev', '/v1/secret-dev/more', '//', '*']) {
      assert.equal(refusalOf(access, from('127.0.0.1', { path })).status, 404, path)
    }
  })

  it('has no limit for trusted networks, with a key or without', () => {
    const { access } = accessWith()
    for (const origin of [from('127.0.0.1'), from('::1'), from('::ffff:127.0.0.1'), from('127.1.2.3', { path: '/v1/secret-dev' })]) {
      const caller = callerOf(access, origin)
      assert.deepEqual([caller.tier, caller.burst, caller.take(1_000_000)], ['trusted', Number.POSITIVE_INFINITY, 0])
    }
    assert.equal(refusalOf(access, from('127.0.0.1', { path: '/v1/nobody' })).status, 401)
  })

  it('uses X-Forwarded-For from proxies only, and never trusts a proxy', () => {
    const { access } = accessWith()
    const caller = (peer: string, forwardedFor: string | undefined) => callerOf(access, from(peer, { forwardedFor }))
    assert.equal(caller('10.0.0.1', '203.0.113.7').client, callerOf(access, from('203.0.113.7')).client)
    assert.equal(caller('203.0.113.1', '127.0.0.1').tier, 'anonymous')
    assert.equal(caller('10.0.0.1', '127.0.0.1, 203.0.113.7').tier, 'anonymous')
    assert.equal(caller('10.0.0.1', '127.0.0.1').tier, 'trusted')
    assert.equal(caller('127.0.0.9', undefined).tier, 'anonymous')
    assert.equal(caller('127.0.0.9', 'unknown').tier, 'anonymous')
    assert.equal(caller('127.0.0.9', '203.0.113.7').client, caller('203.0.113.7', undefined).client)
  })

  it('counts the caller that a trusted program forwards, so that visitors of the pages are not unlimited', () => {
    const { access } = accessWith()
    const caller = (forwardedFor: string) => callerOf(access, from('127.0.0.1', { forwardedFor }))
    const visitor = caller('203.0.113.7')
    assert.deepEqual([visitor.tier, visitor.client], ['anonymous', callerOf(access, from('203.0.113.7')).client])
    assert.equal(caller('127.0.0.1, 203.0.113.7').client, visitor.client, 'a visitor cannot name a trusted address')
    assert.deepEqual([caller('127.0.0.2').tier, caller('127.0.0.2').known], ['trusted', false])
    assert.equal(caller('nonsense').tier, 'trusted')
  })

  it('counts connections of strangers by address, and not those of trusted networks and proxies', () => {
    const { access } = accessWith()
    assert.equal(access.connectionGroup('127.0.0.1'), null)
    assert.equal(access.connectionGroup('10.1.1.1'), null)
    assert.equal(access.connectionGroup('2001:db8::1'), access.connectionGroup('2001:db8::2'))
    assert.notEqual(access.connectionGroup('203.0.113.1'), access.connectionGroup('203.0.113.2'))
  })

  it('follows the keys as they change', () => {
    let keys = NO_API_KEYS
    const { access } = accessWith(() => keys)
    const origin = from('203.0.113.1', { path: '/v1/secret-dev' })
    assert.equal(refusalOf(access, origin).status, 401)
    keys = keysOf(['dev', 'developer'])
    assert.equal(callerOf(access, origin).tier, 'developer')
    keys = keysOf(['dev', 'enterprise'])
    assert.equal(callerOf(access, origin).burst, 4000)
    keys = keysOf(['acme', 'enterprise'])
    assert.equal(refusalOf(access, origin).status, 401)
  })
})
