import assert from 'node:assert/strict'
import { createManualClock } from '../clock.ts'
import { parseIpNetwork } from '../http/ip-address.ts'
import { createAddressBuckets, createSubnetBuckets } from './address-buckets.ts'
import { type ConnectionRulesDependencies, createConnectionRules, type OpenConnection } from './connection-rules.ts'

const inbound = (ip: string): OpenConnection => ({ peerId: 'x', ip, direction: 'inbound' })

function rules(change: Partial<ConnectionRulesDependencies>) {
  return createConnectionRules({
    bans: { findPeer: () => null, findAddress: () => null },
    isExempt: (peerId) => peerId === 'friend',
    networks: [],
    maxInbound: 3,
    maxPerAddress: 2,
    maxPerSubnet: 4,
    connections: () => [],
    attempts: createAddressBuckets({ perSec: 1, burst: 3 }, createManualClock(1_800_000_000_000)),
    subnetAttempts: createSubnetBuckets({ perSec: 1, burst: 12 }, createManualClock(1_800_000_000_000)),
    ...change,
  })
}

describe('rules on connections', () => {
  it('refuse banned peers and addresses both ways', () => {
    const ban = { kind: 'peer', what: 'x', untilMs: null } as const
    const {
      outbound,
      inbound: accept,
      inboundPeer,
    } = rules({
      bans: { findPeer: (id) => (id === 'bad' ? ban : null), findAddress: (ip) => (ip === '192.0.2.1' ? ban : null) },
    })
    assert.equal(outbound('bad', null), 'peer-banned')
    assert.equal(outbound('good', '192.0.2.1'), 'address-banned')
    assert.equal(outbound('good', '192.0.2.2'), null)
    assert.equal(accept('192.0.2.1'), 'address-banned')
    assert.equal(accept('192.0.2.2'), null)
    assert.equal(inboundPeer('bad', '192.0.2.2'), 'peer-banned')
  })

  it('let nobody but friends in when all places, or all of an address, are taken', () => {
    const full = rules({ connections: () => ['192.0.2.1', '198.51.100.2', '203.0.113.3'].map(inbound) })
    assert.equal(full.inboundPeer('anyone', '192.0.2.9'), 'too-many-inbound')
    assert.equal(full.inboundPeer('friend', '192.0.2.9'), null)
    assert.equal(full.outbound('anyone', '192.0.2.9'), null)
    const crowded = rules({ connections: () => ['192.0.2.1', '192.0.2.1'].map(inbound) })
    assert.equal(crowded.inboundPeer('anyone', '192.0.2.1'), 'too-many-from-address')
    assert.equal(crowded.inboundPeer('anyone', '192.0.2.2'), null)
    assert.equal(rules({ connections: () => ['127.0.0.1', '127.0.0.1'].map(inbound) }).inboundPeer('anyone', '127.0.0.1'), null)
    const flooded = rules({ connections: () => Array.from({ length: 19 }, (_, i) => inbound(`192.0.2.${i}`)) })
    assert.equal(flooded.inbound('192.0.2.99'), 'too-many-inbound')
  })

  it('limit dialled peers per address and per subnet, so that one operator cannot control them all', () => {
    const dialled = (...ips: readonly string[]) =>
      rules({
        maxPerAddress: 8,
        maxPerSubnet: 12,
        connections: () => ips.map((ip) => ({ peerId: 'x', ip, direction: 'outbound' as const })),
      })
    assert.equal(dialled('203.0.113.7').outbound('x', '203.0.113.7'), null)
    assert.equal(dialled('203.0.113.7', '203.0.113.7').outbound('x', '203.0.113.7'), 'too-many-from-address')
    assert.equal(dialled('203.0.113.7', '203.0.113.7').outbound('friend', '203.0.113.7'), null)
    assert.equal(dialled('203.0.113.1', '203.0.113.2', '203.0.113.3').outbound('x', '203.0.113.4'), 'too-many-from-subnet')
    assert.equal(dialled('203.0.113.1', '203.0.113.2', '203.0.113.3').outbound('x', '198.51.100.4'), null)
    const network = ['2001:db8:7:1::1', '2001:db8:7:1::2']
    assert.equal(dialled(...network).outbound('x', '2001:db8:7:1::3'), 'too-many-from-address', 'one /64')
    assert.equal(dialled(...network, '2001:db8:7:2::1').outbound('x', '2001:db8:7:3::1'), 'too-many-from-subnet', 'one /48')
    assert.equal(dialled(...network).outbound('x', '2001:db8:8::1'), null)
    const home = ['192.168.1.1', '192.168.1.2', '192.168.1.3', '192.168.1.4']
    assert.equal(dialled(...home).outbound('x', '192.168.1.5'), null, 'a private network is one subnet')
    assert.equal(dialled(...Array<string>(9).fill('127.0.0.1')).outbound('x', '127.0.0.1'), null)
  })

  it('limit the connections of a subnet, whichever side dialled', () => {
    const connections = [
      ...['203.0.113.1', '203.0.113.2', '203.0.113.3'].map(inbound),
      { peerId: 'x', ip: '203.0.113.4', direction: 'outbound' as const },
    ]
    const { inboundPeer } = rules({ maxInbound: 30, connections: () => connections })
    assert.equal(inboundPeer('anyone', '203.0.113.5'), 'too-many-from-subnet')
    assert.equal(inboundPeer('friend', '203.0.113.5'), null)
    assert.equal(inboundPeer('anyone', '198.51.100.5'), null)
  })

  it('limit concurrent handshakes per address, whatever its peer ids', () => {
    const { inbound: accept } = rules({})
    const tries = (ip: string) => Array.from({ length: 5 }, () => accept(ip))
    assert.deepEqual(tries('203.0.113.7'), [null, null, null, 'too-many-attempts', 'too-many-attempts'])
    assert.deepEqual(tries('203.0.113.8').slice(0, 3), [null, null, null])
    for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8::3']) assert.equal(accept(ip), null)
    assert.equal(accept('2001:db8::4'), 'too-many-attempts', 'one /64')
    assert.deepEqual(tries('127.0.0.1'), [null, null, null, null, null])
  })

  it('let a subnet try so many handshakes at once, from however many of its addresses', () => {
    const { inbound: accept } = rules({})
    for (let host = 0; host < 12; host++) assert.equal(accept(`2001:db8:5:${host}::1`), null)
    assert.equal(accept('2001:db8:5:ffff::1'), 'too-many-attempts', 'one /48')
    assert.equal(accept('2001:db8:6::1'), null)
    for (let host = 0; host < 20; host++) assert.equal(accept(`192.168.1.${host}`), null, 'a private network')
  })

  it('dial only into the networks given', () => {
    const { outbound, inboundPeer } = rules({ networks: [parseIpNetwork('10.0.0.0/8')].filter((network) => network !== null) })
    assert.equal(outbound('x', '192.0.2.1'), 'outside-networks')
    assert.equal(outbound('x', '10.1.1.1'), null)
    assert.equal(outbound('x', null), null, 'a name is judged when its address is known')
    assert.equal(inboundPeer('x', '192.0.2.1'), null)
  })
})
