import assert from 'node:assert/strict'
import { DEFAULT_PEERING } from '@keelson/consensus'
import { parseFlags, renderOptionHelp, resolveOptions } from '@keelson/runtime'
import { p2pAddressMistakes, p2pContradictions, p2pOptions, p2pSettings } from './p2p-options.ts'

const settingsOf = (flags: Record<string, string> = {}) => p2pSettings(resolveOptions(p2pOptions, { flags }).values)
const ID = '16Uiu2HAm9pwijQ8M3L6oKNyHPsMp6MYPAKTt8e2tNzNzXVkWKXzB'
const ID_2 = '16Uiu2HAmQEpfd9bQ3DrRtZF8tz5hEaM6Pq7XYxrCKCuaHfoGPpvJ'
const discovers = (flags: Record<string, string>) => settingsOf(flags).peering.discovery !== null

describe('options of the network', () => {
  it('take the maximum number of peers as --maxpeers too, 50 by default', () => {
    const high = (args: readonly string[], env: Record<string, string> = {}) =>
      resolveOptions(p2pOptions, { flags: parseFlags(args, p2pOptions).flags, env }).values.p2pPeersHigh
    assert.equal(high([]), 50)
    assert.equal(high(['--maxpeers', '70']), 70)
    assert.equal(high([], { KEELSON_MAXPEERS: '70' }), 70)
    assert.equal(high(['--maxpeers=60'], { KEELSON_P2P_PEERS_HIGH: '70' }), 60)
    assert.equal(high(['--maxpeers=60', '--p2p.peers.hi=60']), 60)
    assert.throws(() => high(['--maxpeers=60', '--p2p.peers.hi=70']), {
      message: '--p2p.peers.hi and --maxpeers are one option; give one of them',
    })
    assert.throws(() => high(['--maxpeers=0', '--p2p.peers.hi=70']), /--maxpeers: expected a whole number from 1 to 1000/)
    assert.match(renderOptionHelp(p2pOptions), /--p2p\.peers\.hi <number> \(default: 50\)\n.* Also --maxpeers\. \[.*KEELSON_MAXPEERS\]/)
  })

  it("are op-node's limits by default, with a higher maximum, and without discovery on this machine alone", () => {
    assert.deepEqual(settingsOf(), { host: '127.0.0.1', port: 9222, staticPeers: [], announce: [], peering: DEFAULT_PEERING })
  })

  it('switch discovery on beyond this machine, with bootnodes, or when told', () => {
    assert.equal(discovers({ 'p2p.host': '0.0.0.0' }), true)
    assert.equal(discovers({ 'p2p.host': '0.0.0.0', 'p2p.discovery': 'false' }), false)
    assert.equal(discovers({ 'p2p.bootnodes': 'enr:-abc' }), true)
    assert.equal(discovers({ 'p2p.discovery': 'true' }), true)
  })

  it('give the advertised address to discovery and to peers', () => {
    const { announce, peering } = settingsOf({ 'p2p.host': '0.0.0.0', 'p2p.advertise.ip': '203.0.113.7', 'p2p.advertise.tcp': '4001' })
    assert.deepEqual(announce, ['/ip4/203.0.113.7/tcp/4001'])
    assert.deepEqual(peering.discovery?.advertise, { ip: '203.0.113.7', tcpPort: 4_001, udpPort: null })
    const named = settingsOf({ 'p2p.announce': '/dns4/node.example/tcp/9222', 'p2p.advertise.ip': '203.0.113.7' })
    assert.deepEqual(named.announce, ['/dns4/node.example/tcp/9222'])
  })

  it('name peers, limits, bans and networks', () => {
    const { staticPeers, peering } = settingsOf({
      'p2p.peers': `/ip4/192.0.2.1/tcp/1/p2p/${ID}`,
      'p2p.static': `/ip4/192.0.2.2/tcp/1/p2p/${ID_2}`,
      'p2p.trusted': ID,
      'p2p.peers.lo': '3',
      'p2p.peers.hi': '5',
      'p2p.max-per-subnet': '7',
      'p2p.ban.threshold': '-40',
      'p2p.ban.duration': '2h',
      'p2p.ban.address-after': '5',
      'p2p.netrestrict': '10.0.0.0/8,2001:db8::/32',
    })
    assert.equal(staticPeers.length, 2)
    assert.deepEqual([peering.trusted, peering.low, peering.high, peering.networks.length], [[ID], 3, 5, 2])
    assert.equal(peering.maxPerSubnet, 7)
    assert.deepEqual(peering.banning, { threshold: -40, durationMs: 7_200_000, addressAfterPeers: 5 })
    assert.equal(settingsOf({ 'p2p.ban.peers': 'false' }).peering.banning, null)
  })

  it('refuse what they do not understand', () => {
    assert.throws(() => settingsOf({ 'p2p.advertise.ip': 'node.example' }), /--p2p\.advertise\.ip: expected an IP address/)
    assert.throws(() => settingsOf({ 'p2p.netrestrict': '10.0.0.0/40' }), /--p2p\.netrestrict/)
    assert.throws(() => settingsOf({ 'p2p.ban.threshold': '5' }), /--p2p\.ban\.threshold/)
  })

  it('refuse addresses nobody can be reached at, and say what is missing', async () => {
    const mistakes = (flags: Record<string, string>) => p2pAddressMistakes(resolveOptions(p2pOptions, { flags }).values)
    for (const [flag, value, message] of [
      ['p2p.announce', 'bar', /--p2p\.announce: expected a multiaddress such as .*, got "bar"/],
      ['p2p.peers', 'foo', /--p2p\.peers: expected a multiaddress such as .*\/p2p\/.*, got "foo"/],
      ['p2p.peers', '/ip4/192.0.2.1/tcp/9222', /--p2p\.peers: expected a multiaddress that ends in \/p2p\/ and the peer id/],
      ['p2p.static', '/ip4/192.0.2.1/tcp/9222/p2p/foo', /--p2p\.static: expected a multiaddress/],
      ['p2p.trusted', 'foo', /--p2p\.trusted: expected a peer id such as 16Uiu2HAm\.\.\., got "foo"/],
      ['p2p.bootnodes', 'enr:abc', /--p2p\.bootnodes: expected a record .* that can be read \(.+\), got "enr:abc"/],
    ] as const) {
      assert.match((await mistakes({ [flag]: value })).join('\n'), message)
    }
    assert.equal((await mistakes({ 'p2p.peers': 'foo,bar', 'p2p.trusted': 'foo' })).length, 3)
    assert.deepEqual(await mistakes({ 'p2p.announce': '/dns4/node.example/tcp/9222', 'p2p.trusted': ID }), [])
    assert.deepEqual(await mistakes({ 'p2p.peers': `/dns/localhost/tcp/9222/p2p/${ID},/ip6/::1/tcp/9222/p2p/${ID}` }), [])
  })

  it('refuse limits that contradict each other', () => {
    const mistakes = (flags: Record<string, string>) => p2pContradictions(resolveOptions(p2pOptions, { flags }).values)
    assert.deepEqual(mistakes({}), [])
    assert.deepEqual(mistakes({ 'p2p.peers.lo': '7', 'p2p.peers.hi': '5' }), [
      '--p2p.peers.lo 7 is above --p2p.peers.hi 5: give a lower one',
    ])
    assert.match(mistakes({ 'p2p.min-peers': '51' }).join(), /--p2p\.min-peers 51 is above --p2p\.peers\.hi 50/)
    assert.match(mistakes({ 'p2p.min-peers': '1', 'p2p.enabled': 'false' }).join(), /--p2p\.min-peers 1 without gossip/)
  })
})
