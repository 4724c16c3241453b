import assert from 'node:assert/strict'
import { addressScope, ipOfMultiaddress, reachableScopes, subnetAt, subscriberAt } from './address-scope.ts'

describe('the scope of an address', () => {
  it('is that of the special-purpose registries', () => {
    const expected = {
      loopback: ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'],
      private: ['10.1.2.3', '172.31.0.1', '192.168.0.1', '100.64.0.1', '198.18.0.1', 'fd00::1'],
      unusable: [
        '0.0.0.0',
        '169.254.169.254',
        '224.0.0.1',
        '255.255.255.255',
        '240.0.0.1',
        '::',
        'fe80::1',
        'ff02::1',
        '::ffff:169.254.1.1',
      ],
      public: ['8.8.8.8', '172.32.0.1', '2001:4860::1', '::ffff:8.8.8.8'],
    }
    for (const [scope, ips] of Object.entries(expected)) for (const ip of ips) assert.equal(addressScope(ip), scope, ip)
    assert.equal(addressScope('node.example'), null)
  })

  it('determines which scopes a node dials from discovery records', () => {
    assert.deepEqual([...reachableScopes(['0.0.0.0', ''])], ['public'])
    assert.deepEqual([...reachableScopes(['203.0.113.7'])], ['public'])
    assert.deepEqual([...reachableScopes(['0.0.0.0', '192.168.1.5'])], ['public', 'private'])
    assert.deepEqual([...reachableScopes(['127.0.0.1'])], ['public', 'loopback', 'private'])
  })

  it('comes with a subscriber and a subnet', () => {
    assert.equal(subscriberAt('192.0.2.1'), subscriberAt('::ffff:192.0.2.1'))
    assert.notEqual(subscriberAt('192.0.2.1'), subscriberAt('192.0.2.2'))
    assert.equal(subnetAt('192.0.2.1'), subnetAt('192.0.2.254'))
    assert.equal(subnetAt('2001:db8:1:2::1'), subnetAt('2001:db8:1:3::1'))
    assert.notEqual(subnetAt('2001:db8:1::1'), subnetAt('2001:db8:2::1'))
    assert.equal(ipOfMultiaddress('/ip6/2001:db8::1/tcp/1/p2p/x'), '2001:db8::1')
    assert.equal(ipOfMultiaddress('/dns4/node.example/tcp/1'), null)
  })
})
