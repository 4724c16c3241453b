import assert from 'node:assert/strict'
import { parseIpNetwork } from '@keelson/runtime'
import { type ConnectionRulesDependencies, createConnectionRules, type OpenConnection } from './connection-rules.ts'

const inbound = (ip: string): OpenConnection => ({ peerId: 'x', ip, direction: 'inbound' })

function rules(change: Partial<ConnectionRulesDependencies>) {
  return createConnectionRules({
    bans: { findPeer: () => null, findAddress: () => null },
    isExempt: (peerId) => peerId === 'friend',
    networks: [],
    maxInbound: 3,
    maxPerAddress: 2,
    connections: () => [],
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
    const full = rules({ connections: () => ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(inbound) })
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

  it('dial only into the networks given', () => {
    const { outbound, inboundPeer } = rules({ networks: [parseIpNetwork('10.0.0.0/8')].filter((network) => network !== null) })
    assert.equal(outbound('x', '192.0.2.1'), 'outside-networks')
    assert.equal(outbound('x', '10.1.1.1'), null)
    assert.equal(outbound('x', null), null, 'a name is judged when its address is known')
    assert.equal(inboundPeer('x', '192.0.2.1'), null)
  })
})
