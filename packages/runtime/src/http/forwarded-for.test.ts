import assert from 'node:assert/strict'
import { clientAddress } from './forwarded-for.ts'
import { type IpAddress, type IpNetwork, parseIpAddress, parseIpNetwork } from './ip-address.ts'

const address = (text: string) => parseIpAddress(text) as IpAddress
const proxies = ['10.0.0.0/8', '2001:db8:aaaa::/48'].map((text) => parseIpNetwork(text) as IpNetwork)

describe('the client behind proxies', () => {
  const cases: readonly (readonly [string, string, string | undefined, string])[] = [
    ['a header of a stranger is ignored', '203.0.113.1', '198.51.100.7', '203.0.113.1'],
    ['no header: the proxy itself', '10.0.0.1', undefined, '10.0.0.1'],
    ['what the proxy saw', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['not what the client claims before it', '10.0.0.1', '127.0.0.1, 198.51.100.7', '198.51.100.7'],
    ['through a chain of proxies', '10.0.0.1', '1.1.1.1, 198.51.100.7, 10.0.0.3,10.0.0.2', '198.51.100.7'],
    ['proxies alone: the first of them', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['with a port', '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['IPv6 with a port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['IPv6 proxy', '2001:db8:aaaa::1', '2001:db8::7', '2001:db8::7'],
    ['IPv4 mapped peer', '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['an unreadable hop counts as the proxy', '10.0.0.1', '198.51.100.7, unknown', '10.0.0.1'],
    ['behind a readable one', '10.0.0.1', 'unknown, 10.0.0.5', '10.0.0.5'],
    ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ]
  for (const [name, peer, header, client] of cases)
    it(name, () => assert.deepEqual(clientAddress(address(peer), header, proxies), address(client)))

  it('is searched for in a limited number of hops', () => {
    const header = `198.51.100.7${', 10.0.0.9'.repeat(100_000)}`
    assert.deepEqual(clientAddress(address('10.0.0.1'), header, proxies), address('10.0.0.9'))
  })
})
