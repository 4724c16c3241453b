import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import {
  type IpAddress,
  type IpNetwork,
  isInNetworks,
  isLoopbackHost,
  parseIpAddress,
  parseIpNetwork,
  showIpNetwork,
  subscriberOf,
} from './ip-address.ts'

const address = (text: string) => parseIpAddress(text) as IpAddress
const network = (text: string) => parseIpNetwork(text) as IpNetwork

describe('IP addresses', () => {
  it('are parsed in every notation', () => {
    assert.deepEqual(address('192.0.2.1'), { family: 4, bits: 0xc0000201n })
    assert.deepEqual(address('::ffff:192.0.2.1'), address('192.0.2.1'))
    assert.deepEqual(address('::ffff:c000:201'), address('192.0.2.1'))
    assert.deepEqual(address('::1'), { family: 6, bits: 1n })
    assert.deepEqual(address('::'), { family: 6, bits: 0n })
    assert.deepEqual(address('2001:db8::1:0:0:1'), { family: 6, bits: 0x20010db8000000000001000000000001n })
    assert.deepEqual(address('1:2:3:4:5:6:7:8').bits, 0x00010002000300040005000600070008n)
    assert.deepEqual(address('64:ff9b::192.0.2.33').bits, 0x64ff9b0000000000000000c0000221n)
    assert.deepEqual(address('fe80::1%eth0'), address('fe80::1'))
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4:80', '[::1]', '::1::', '256.1.1.1'])
      assert.equal(parseIpAddress(text), null, text)
  })

  it('are counted one by one in IPv4 and by /64 in IPv6', () => {
    const same = (a: string, b: string) => subscriberOf(address(a)) === subscriberOf(address(b))
    assert.equal(same('192.0.2.1', '192.0.2.2'), false)
    assert.equal(same('192.0.2.1', '::ffff:192.0.2.1'), true)
    assert.equal(same('2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff'), true)
    assert.equal(same('2001:db8:0:1::1', '2001:db8:0:2::1'), false)
    assert.equal(same('0.0.0.5', '0:0:0:5::'), false)
  })

  it('belong to networks up to the last bit of the prefix', () => {
    const within = (text: string, ...networks: string[]) => isInNetworks(address(text), networks.map(network))
    assert.equal(within('10.255.255.255', '10.0.0.0/8'), true)
    assert.equal(within('11.0.0.0', '10.0.0.0/8'), false)
    assert.equal(within('10.0.0.1', '10.0.0.1'), true)
    assert.equal(within('10.0.0.2', '10.0.0.1'), false)
    assert.equal(within('203.0.113.9', '0.0.0.0/0'), true)
    assert.equal(within('::1', '0.0.0.0/0'), false)
    assert.equal(within('::ffff:127.0.0.1', '127.0.0.0/8'), true)
    assert.equal(within('2001:db8:ffff::1', '192.0.2.0/24', '2001:db8::/32'), true)
    assert.equal(within('10.1.2.3', '10.9.9.9/8'), true)
    for (const text of [
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '10.0.0.0/8x',
      'localhost/8',
      'fe80::1%eth0/64',
    ]) {
      assert.equal(parseIpNetwork(text), null, text)
    }
  })

  it('are formatted so that they parse to the same value', () => {
    assert.equal(showIpNetwork(network('10.1.2.3/8')), '10.0.0.0/8')
    assert.equal(showIpNetwork(network('::1')), '0:0:0:0:0:0:0:1/128')
    for (const text of ['192.0.2.7', '0.0.0.0/0', '2001:db8::/32', 'fe80::1:2/127']) {
      assert.deepEqual(network(showIpNetwork(network(text))), network(text))
    }
  })

  it("agree with Node's own list of networks", () => {
    const v4 = fc.ipV4().chain((text) => fc.tuple(fc.constant(text), fc.integer({ min: 0, max: 32 })))
    const v6 = fc.ipV6().chain((text) => fc.tuple(fc.constant(text), fc.integer({ min: 0, max: 128 })))
    const judge = (family: 'ipv4' | 'ipv6') => (base: string, length: number, other: string) => {
      const list = new BlockList()
      list.addSubnet(base, length, family)
      for (const candidate of [base, other]) {
        if (family === 'ipv6' && (address(candidate).family === 4 || address(base).family === 4)) continue
        assert.equal(isInNetworks(address(candidate), [network(`${base}/${length}`)]), list.check(candidate, family))
      }
    }
    fc.assert(
      fc.property(v4, fc.ipV4(), ([base, length], other) => judge('ipv4')(base, length, other)),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(v6, fc.ipV6(), ([base, length], other) => judge('ipv6')(base, length, other)),
      { numRuns: 500 },
    )
  })

  it('recognizes every form of a loopback host', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1']) assert.ok(isLoopbackHost(host), host)
    for (const host of ['0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example', '::ffff:10.0.0.1']) assert.ok(!isLoopbackHost(host), host)
  })
})
