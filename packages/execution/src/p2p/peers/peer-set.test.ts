import assert from 'node:assert/strict'
import { createManualClock, createMemoryStore } from '@keelson/runtime'
import { createBanList } from '@keelson/runtime/peers'
import { createNamedNodes } from './named-nodes.ts'
import { type InboundPlace, PeerSet } from './peer-set.ts'
import { DEFAULT_PEERS, type PeersOptions } from './peers-options.ts'

const id = (n: number) => `0x${n.toString(16).padStart(128, '0')}`
const node = (n: number) => ({ id: id(n) as `0x${string}`, host: `192.0.2.${n}`, tcpPort: 30303, udpPort: 30303 })
const OWN = id(0xffff)

function openSet(changes: Partial<PeersOptions> = {}) {
  const clock = createManualClock(1_800_000_000_000)
  const bans = createBanList(createMemoryStore(), 0x60, clock)
  const options = { ...DEFAULT_PEERS, ...changes }
  const named = createNamedNodes(options.staticNodes, options.trustedNodes)
  const refusals: string[] = []
  let changed = 0
  const arrive = (ip: string) => set.inbound(ip, () => closed.push(ip))
  const set = new PeerSet(options, {
    ownId: OWN,
    named,
    bans,
    clock,
    onRefusal: (reason) => refusals.push(reason),
    onChange: () => void changed++,
  })
  const closed: string[] = []
  const place = (ip: string): InboundPlace => {
    const admission = arrive(ip)
    assert.ok(admission.kind === 'admitted', JSON.stringify(admission))
    return admission.place
  }
  const join = (n: number, ip = `10.${n >> 8}.${n & 255}.1`) => {
    const taken = place(ip)
    assert.equal(taken.identify(id(n)), null)
    assert.equal(
      taken.join(async () => taken.leave()),
      null,
    )
    return taken
  }
  const dial = (n: number, ip: string | null = `10.${n >> 8}.${n & 255}.1`) => {
    const admission = set.outbound(id(n), ip)
    if (admission.kind === 'admitted') admission.place.join(async () => admission.place.leave())
    return admission.kind === 'admitted' ? 'admitted' : admission.reason
  }
  return { set, bans, named, clock, refusals, join, place, dial, arrive, closed, changes: () => changed }
}

describe('the places of peers', () => {
  it('refuses a stranger over the limit before anything is read from it', () => {
    const { set, join, refusals, arrive } = openSet({ maxPeers: 6 })
    for (let n = 0; n < 4; n++) join(n)
    assert.deepEqual(arrive('10.9.9.9'), { kind: 'refused', reason: 'too-many-inbound' })
    assert.deepEqual(refusals, ['too-many-inbound'])
    assert.equal(set.peers().length, 4)
  })

  it('keeps a place for a trusted node, and only for it', () => {
    const { place, join, arrive } = openSet({ maxPeers: 3, trustedNodes: [node(7)] })
    join(1)
    join(2)
    assert.equal(place('10.9.9.9').identify(id(3)), 'too-many-inbound')
    join(7)
    assert.deepEqual(arrive('10.9.9.8'), { kind: 'refused', reason: 'too-many-inbound' }, 'all trusted nodes are here')
  })

  it('dials a third of the places, so that those who connect cannot fill them all', () => {
    const { dial, join, set, arrive } = openSet({ maxPeers: 6 })
    assert.deepEqual([dial(1), dial(2), dial(3)], ['admitted', 'admitted', 'too-many-dialled'])
    for (let n = 10; n < 14; n++) join(n)
    assert.equal(arrive('10.9.9.9').kind, 'refused')
    assert.equal(set.peers().length, 6)
  })

  it('dials a static node whatever the limits are', () => {
    const { dial } = openSet({ maxPeers: 0, staticNodes: [node(1)] })
    assert.deepEqual([dial(1, null), dial(2)], ['admitted', 'too-many-dialled'])
  })

  it('has one connection to a node, and none to itself', () => {
    const { dial, join, place, set } = openSet()
    join(1)
    assert.equal(dial(1), 'already-connected')
    assert.equal(place('10.0.1.2').identify(id(1)), 'already-connected')
    assert.equal(place('10.0.1.3').identify(OWN), 'self')
    assert.equal(set.refusesDial(OWN, null), 'self')
  })

  it('admits a real peer while a stranger holds as many unfinished handshakes as it can', () => {
    const { place, join, closed, set } = openSet()
    for (let n = 0; n < 100; n++) place(`10.0.${n}.1`)
    assert.equal(closed.length, 50, 'the oldest gave way')
    assert.equal(closed[0], '10.0.0.1')
    for (let n = 0; n < 34; n++) join(n, `10.1.${n}.1`)
    assert.equal(set.peers().length, 34)
  })

  it('admits a real peer while strangers prove keys and then say nothing', () => {
    const { place, join, set } = openSet({ maxPeers: 6 })
    for (let n = 0; n < 40; n++) assert.equal(place(`10.0.${n}.1`).identify(id(1_000 + n)), null)
    join(1, '10.1.0.1')
    assert.equal(set.peers().length, 1)
  })

  it('lets the most crowded subnet give way first when handshakes are many', () => {
    const { place, closed } = openSet({ maxPeers: 200 })
    const [first] = [place('10.0.0.1')]
    for (let n = 0; n < 49; n++) place(`10.${1 + (n % 3)}.0.${n}`)
    place('10.9.0.1')
    assert.deepEqual(closed, ['10.1.0.0'])
    assert.equal(first?.identify(id(1)), null)
    assert.equal(
      first?.join(async () => undefined),
      null,
    )
  })

  it('limits unfinished handshakes of an address and of a subnet', () => {
    const { arrive } = openSet()
    const kinds = (count: number, ip: (n: number) => string) => Array.from({ length: count }, (_, n) => arrive(ip(n)).kind)
    assert.deepEqual(
      kinds(5, () => '10.0.0.1'),
      ['admitted', 'admitted', 'admitted', 'admitted', 'refused'],
    )
    assert.deepEqual(kinds(9, (n) => `203.0.113.${n}`).slice(7), ['admitted', 'refused'])
  })

  it('judges a peer again when it joins, because others joined meanwhile', () => {
    const { place, join, set } = openSet({ maxPeers: 3 })
    const slow = place('10.0.0.1')
    assert.equal(slow.identify(id(1)), null)
    join(2)
    join(3)
    assert.equal(
      slow.join(async () => undefined),
      'too-many-inbound',
    )
    assert.equal(set.peers().length, 2)
  })

  it('gives a place to a newcomer of another subnet when one subnet holds several', () => {
    const { join, arrive, set } = openSet({ maxPeers: 6 })
    join(1, '203.0.113.1')
    join(2, '203.0.113.2')
    join(3, '203.0.113.3')
    join(4, '198.51.100.1')
    assert.deepEqual(arrive('203.0.113.4'), { kind: 'refused', reason: 'too-many-inbound' }, 'its own subnet is the crowded one')
    join(5, '192.0.2.1')
    assert.deepEqual(
      set.peers().map(({ ip }) => ip),
      ['203.0.113.1', '203.0.113.2', '198.51.100.1', '192.0.2.1'],
    )
  })

  for (const network of ['192.168.0', '127.0.0']) {
    it(`drops no peer of ${network}.0/24 for a newcomer from outside, because one network holds all of a private chain`, () => {
      const { join, arrive, set } = openSet({ maxPeers: 6, maxPerAddress: 10 })
      for (let n = 1; n <= 4; n++) join(n, `${network}.${n}`)
      assert.deepEqual(arrive('203.0.113.1'), { kind: 'refused', reason: 'too-many-inbound' })
      assert.equal(set.peers().length, 4)
    })
  }

  it('drops no public peer for another newcomer of a private network that has peers', () => {
    const { join, arrive, set } = openSet({ maxPeers: 6 })
    join(1, '203.0.113.1')
    join(2, '203.0.113.2')
    join(3, '192.168.0.1')
    join(4, '192.168.0.2')
    assert.deepEqual(arrive('192.168.0.3'), { kind: 'refused', reason: 'too-many-inbound' })
    assert.equal(set.peers().length, 4)
  })

  it('limits connections of an address and of a subnet', () => {
    const { join, place } = openSet({ maxPeers: 300, maxPerAddress: 2, maxPerSubnet: 3 })
    join(1, '203.0.113.1')
    join(2, '203.0.113.1')
    assert.equal(place('203.0.113.1').identify(id(3)), 'too-many-from-address')
    join(4, '203.0.113.2')
    assert.equal(place('203.0.113.3').identify(id(5)), 'too-many-from-subnet')
  })

  it('limits handshakes of an address and lets it try again later', async () => {
    const { clock, arrive } = openSet({ maxPeers: 300 })
    const attempt = () => {
      const admission = arrive('203.0.113.1')
      if (admission.kind === 'admitted') admission.place.leave()
      return admission.kind
    }
    for (let i = 0; i < 16; i++) assert.equal(attempt(), 'admitted')
    assert.equal(attempt(), 'refused')
    await clock.advance(2_000)
    assert.equal(attempt(), 'admitted')
  })

  it('refuses banned addresses at once and banned keys after the handshake', async () => {
    const { set, bans, place, arrive } = openSet()
    await bans.ban('ip', '192.0.2.1', null)
    await bans.ban('peer', id(2), null)
    assert.deepEqual(arrive('192.0.2.1'), { kind: 'refused', reason: 'address-banned' })
    assert.equal(place('192.0.2.2').identify(id(2)), 'peer-banned')
    assert.equal(set.refusesDial(id(2), '192.0.2.3'), 'peer-banned')
  })

  it('frees a place once, and tells of joining and leaving', () => {
    const { join, set, changes } = openSet()
    const first = join(1)
    first.leave()
    first.leave()
    first.join(async () => undefined)
    assert.deepEqual([set.peers().length, changes()], [0, 2])
  })
})
