import assert from 'node:assert/strict'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createManualClock } from '../clock.ts'
import { createMemoryStore } from '../kv/memory.ts'
import { createAddressBuckets, createSubnetBuckets } from './address-buckets.ts'
import { createBanList } from './ban-list.ts'
import { createConnectionRules, type OpenConnection } from './connection-rules.ts'
import { createScoreBans } from './score-bans.ts'

const T0 = 1_800_000_000_000
const HOUR_MS = 3_600_000

function network(addressAfterPeers = 2, exempt: readonly string[] = []) {
  const clock = createManualClock(T0)
  const bans = createBanList(createMemoryStore(), 0x84, clock)
  const connections = new Map<string, OpenConnection>()
  const scores = new Map<string, number>()
  const isExempt = (peerId: string) => exempt.includes(peerId)
  const scoreBans = createScoreBans(
    { threshold: -100, durationMs: HOUR_MS, addressAfterPeers },
    {
      host: () => ({ connections: () => [...connections.values()], disconnect: async (peerId) => void connections.delete(peerId) }),
      score: (peerId) => scores.get(peerId) ?? 0,
      bans,
      isExempt,
      clock,
      log: createRecordingLogger(),
    },
  )
  const rules = createConnectionRules({
    bans,
    isExempt,
    networks: [],
    maxInbound: 100,
    maxPerAddress: 100,
    maxPerSubnet: 100,
    connections: () => [...connections.values()],
    attempts: createAddressBuckets({ perSec: 1, burst: 100 }, clock),
    subnetAttempts: createSubnetBuckets({ perSec: 1, burst: 100 }, clock),
  })
  const connect = (peerId: string, ip: string, score = 0) => {
    connections.set(peerId, { peerId, ip, direction: 'inbound' })
    scores.set(peerId, score)
  }
  return { clock, bans, connections, rules, connect, look: scoreBans.look }
}

describe('bans for a low score', () => {
  it('a fresh peer id from an address whose peers were banned is refused before its handshake', async () => {
    const { connect, look, rules, connections, clock } = network()
    connect('first', '192.0.2.1', -112)
    await look('first')
    assert.equal(rules.inbound('192.0.2.1'), null, 'one bad peer may be a neighbour')
    assert.equal(rules.inboundPeer('first', '192.0.2.1'), 'peer-banned')
    connect('neighbour', '192.0.2.1')
    connect('elsewhere', '192.0.2.2')
    connect('second', '192.0.2.1', -112)
    await look('second')
    assert.equal(rules.inbound('192.0.2.1'), 'address-banned')
    assert.equal(rules.outbound('third', '192.0.2.1'), 'address-banned')
    assert.equal(rules.inbound('192.0.2.2'), null)
    assert.deepEqual([...connections.keys()], ['elsewhere'])
    await clock.advance(HOUR_MS)
    assert.equal(rules.inbound('192.0.2.1'), null)
  })

  it('count all addresses of an IPv6 /64 as one', async () => {
    const { connect, look, rules } = network()
    connect('first', '2001:db8:0:7::1', -112)
    await look('first')
    connect('second', '2001:db8:0:7:ffff::2', -112)
    await look('second')
    assert.equal(rules.inbound('2001:db8:0:7:1::3'), 'address-banned')
    assert.equal(rules.inbound('2001:db8:0:8::1'), null)
  })

  it('exempt peers with a good score, trusted peers and their addresses, and loopback', async () => {
    const { connect, look, bans } = network(1, ['friend'])
    connect('fair', '192.0.2.9', -99)
    connect('friend', '192.0.2.1', -1_000)
    connect('bad', '192.0.2.1', -1_000)
    connect('local', '127.0.0.1', -1_000)
    for (const peerId of ['fair', 'friend', 'bad', 'local']) await look(peerId)
    assert.deepEqual(
      bans.list('peer').map(({ what }) => what),
      ['bad', 'local'],
    )
    assert.deepEqual([...bans.list('ip'), ...bans.list('subnet')], [])
  })

  it('start counting from zero after the ban duration, and never count with a limit of 0', async () => {
    const { connect, look, rules, clock } = network()
    connect('first', '192.0.2.1', -112)
    await look('first')
    await clock.advance(HOUR_MS)
    connect('second', '192.0.2.1', -112)
    await look('second')
    assert.equal(rules.inbound('192.0.2.1'), null)
    const unlimited = network(0)
    for (const peerId of ['a', 'b', 'c']) {
      unlimited.connect(peerId, '192.0.2.1', -112)
      await unlimited.look(peerId)
    }
    assert.equal(unlimited.rules.inbound('192.0.2.1'), null)
  })
})
