import assert from 'node:assert/strict'
import { createManualClock, networksOf, parseIpAddress, subscriberOf } from '@keelson/runtime'
import { addressOf, createFaucetWorld } from '../../../test/support/faucet-world.ts'
import { createQuotaLedger } from './faucet/claims/quota-ledger.ts'
import { createRequestLimit } from './faucet/http/caller.ts'
import { type Application, MAX_APPLICATIONS, makeRoom } from './faucet/tiers/application.ts'

const DAY_MS = 86_400_000
const NOW_MS = 1_000 * DAY_MS

function subscriber(text: string): string {
  const address = parseIpAddress(text)
  assert.ok(address !== null, text)
  return subscriberOf(address)
}

function newLedger() {
  const quota = (claims: number) => ({ claims, windowMs: DAY_MS })
  const perNetwork = { site: quota(20), network: quota(50), provider: quota(250) }
  return createQuotaLedger({ perSubscriber: quota(10), perNetwork, budget: quota(1_000) })
}

function taken(callers: readonly string[], ledger = newLedger()): number {
  let id = 0
  for (let round = 0; round < 10; round++) {
    for (const caller of callers) {
      const claim = { address: addressOf(id + 1), subscriber: caller }
      const { address, subscriber: own, network, budget } = ledger.next({ ...claim, tier: 'anonymous' }, NOW_MS)
      if (Math.max(address, own, network, budget) > NOW_MS) continue
      ledger.count({ ...claim, id: ++id, atMs: NOW_MS, noticedMs: null }, NOW_MS)
    }
  }
  return id
}

const range = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => subscriber(text(n)))

describe('the daily budget of one network', () => {
  const cases: readonly (readonly [string, readonly string[], number])[] = [
    ['a /64 of IPv6', range(50, (n) => `2001:db8:77:1::${(n + 1).toString(16)}`), 10],
    ['a /56', range(256, (n) => `2001:db8:77:12${n.toString(16).padStart(2, '0')}::1`), 20],
    ['a /48', range(4_096, (n) => `2001:db8:77:${(n * 16).toString(16)}::1`), 50],
    ['a /32', range(4_096, (n) => `2001:db8:${n.toString(16)}::1`), 250],
    ['an IPv4 address', range(1, () => '192.0.2.1'), 10],
    ['an IPv4 address in IPv6 notation too', [subscriber('192.0.2.1'), subscriber('::ffff:192.0.2.1')], 10],
    ['a /24', range(256, (n) => `192.0.2.${n}`), 50],
    ['a /16', range(4_096, (n) => `192.0.${n >> 4}.${n & 15}`), 250],
  ]
  for (const [name, callers, expected] of cases) {
    it(`is bounded for ${name}`, () => {
      const ledger = newLedger()
      assert.equal(taken(callers, ledger), expected)
      const others = ledger.next({ address: addressOf(5_000), subscriber: subscriber('198.51.100.1'), tier: 'anonymous' }, NOW_MS)
      assert.equal(Math.max(others.address, others.subscriber, others.network, others.budget), NOW_MS, 'others are let in')
      const its = callers[0] as string
      assert.equal(ledger.nextOf(its, NOW_MS), NOW_MS + DAY_MS)
      assert.equal(ledger.nextOf(its, NOW_MS + DAY_MS), NOW_MS + DAY_MS)
    })
  }

  it('is restored by a failed payment, and at the end of the day', () => {
    const ledger = newLedger()
    const callers = range(256, (n) => `192.0.2.${n}`)
    taken(callers, ledger)
    ledger.discount(1)
    const next = (nowMs: number) => ledger.next({ address: addressOf(9_999), subscriber: callers[200] as string, tier: 'anonymous' }, nowMs)
    assert.equal(next(NOW_MS).network, NOW_MS)
    ledger.prune(NOW_MS + DAY_MS)
    assert.deepEqual([ledger.spent(NOW_MS + DAY_MS), next(NOW_MS + DAY_MS).network], [0, NOW_MS + DAY_MS])
  })

  it('does not exist for callers without an address', () => {
    for (const name of ['unknown', '', '6:', '4:zz', '5:12']) assert.deepEqual(networksOf(name), [])
    assert.deepEqual(
      networksOf(subscriber('2001:db8:77:1234::1')).map(({ name }) => name),
      ['6/56:20010db8007712', '6/48:20010db80077', '6/32:20010db8'],
    )
  })

  it('is reported to the caller, survives a restart, and holds for concurrent claims', async () => {
    const options = { claimsPerDay: 100, claimsPerSubscriber: 2, claimsPerNetwork: { site: 3, network: 5, provider: 50 } }
    const world = await createFaucetWorld(options)
    await world.step()
    const answers = await Promise.all(
      range(20, (n) => `2001:db8:77:${(n * 256).toString(16)}::1`).map((one, n) =>
        world.claim({ address: addressOf(n + 1), subscriber: one }),
      ),
    )
    assert.equal(answers.filter(({ ok }) => ok).length, 5)
    await world.restart()
    await world.step()
    const refused = await world.claim({ address: addressOf(99), subscriber: subscriber('2001:db8:77:ffff::1') })
    assert.ok(!refused.ok)
    assert.equal(refused.reason, 'ip-limit')
    assert.match(refused.text, /the network around your IP address/)
    assert.equal(refused.nextClaimAtMs, world.clock.nowMs() + DAY_MS)
    assert.ok((await world.claim({ address: addressOf(100), subscriber: subscriber('2001:db8:78::1') })).ok)
  })
})

describe('one network’s requests', () => {
  it('are limited to those of sixteen callers, regardless of its addresses', () => {
    const limit = createRequestLimit({ perSec: 2, burst: 60 }, createManualClock(0))
    const allowed = range(4_096, (n) => `2001:db8:77:${n.toString(16)}::1`).filter((one) => limit.allows(one) && limit.allows(one))
    assert.equal(allowed.length, (60 * 16) / 2)
    assert.equal(limit.allows(subscriber('2001:db8:78::1')), true)
  })

  it('of one limited caller do not affect its neighbours', () => {
    const limit = createRequestLimit({ perSec: 2, burst: 60 }, createManualClock(0))
    const allowed = Array.from({ length: 10_000 }, () => limit.allows(subscriber('192.0.2.1')))
    assert.equal(allowed.filter((one) => one).length, 60)
    assert.equal(limit.allows(subscriber('192.0.2.2')), true)
  })
})

describe('one network’s applications', () => {
  const application = (n: number, text: string): Application => ({
    address: addressOf(n),
    contact: 'x',
    project: 'y',
    atMs: NOW_MS + n,
    subscriber: subscriber(text),
    seen: false,
  })
  const honest = application(1, '198.51.100.1')
  const hostile = Array.from({ length: MAX_APPLICATIONS - 1 }, (_, n) => application(n + 2, `2001:db8:77:${n.toString(16)}::1`))

  it('yield to those of others in a full list', () => {
    const gone = makeRoom([honest, ...hostile], application(5_000, '203.0.113.1'), NOW_MS)
    assert.deepEqual(gone, [hostile[0]?.address])
    assert.deepEqual(makeRoom([honest, ...hostile], application(5_001, '2001:db8:77:ffff::1'), NOW_MS), [hostile[0]?.address])
  })

  it('yield to its own newcomer before those of its neighbours while it has the most', () => {
    const neighbour = application(5_000, '198.51.100.2')
    assert.deepEqual(makeRoom([honest, ...hostile], neighbour, NOW_MS), [hostile[0]?.address])
    const others = Array.from({ length: MAX_APPLICATIONS - 1 }, (_, n) => application(n + 2, `2001:db8:${n.toString(16)}::1`))
    assert.deepEqual(makeRoom([honest, ...others], neighbour, NOW_MS), [honest.address])
  })
})
