import assert from 'node:assert/strict'
import { createHttpClient } from '@keelson/runtime'
import { type JsonServer, openJsonServer } from './json-server.test-support.ts'
import { createPublicLookup, isNotPublic, isPublicAddress, type Resolve } from './public-lookup.ts'

describe('connections to hosts that callers name', () => {
  it('go to addresses of the public internet', () => {
    for (const address of [
      '8.8.8.8',
      '1.1.1.1',
      '172.15.0.1',
      '172.32.0.1',
      '192.0.1.1',
      '100.63.255.255',
      '100.128.0.1',
      '2606:4700::1111',
    ])
      assert.equal(isPublicAddress(address), true, address)
  })

  it('go to no address that is private, local, shared, reserved, or embeds another', () => {
    for (const address of [
      ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
      ...['100.64.0.1', '100.127.255.255', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
      ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
      ...[
        '::1',
        '::',
        'fe80::1',
        'fe80::1%eth0',
        'fec0::1',
        'fd00::1',
        'fc00::1',
        'ff02::1',
        '2001:db8::1',
        '3fff::1',
        '5f00::1',
        '100::1',
      ],
      // IPv4 embedded in IPv6: mapped, compatible, 6to4, Teredo, NAT64
      ...[
        '::ffff:127.0.0.1',
        '::ffff:7f00:1',
        '::ffff:8.8.8.8',
        '::127.0.0.1',
        '2002:7f00:1::',
        '2001:0:7f00:1::',
        '64:ff9b::7f00:1',
        '64:ff9b:1::1',
      ],
      ...['', 'localhost', '127.1', '0x7f000001'],
    ])
      assert.equal(isPublicAddress(address), false, address)
  })

  describe('over HTTP', () => {
    let server: JsonServer
    before(async () => {
      server = await openJsonServer()
    })
    after(() => server.close())
    const send = async (resolve: Resolve, isAllowed?: (address: string) => boolean) => {
      const http = createHttpClient({ lookup: createPublicLookup(resolve, isAllowed) })
      const url = `http://graph.example.org:${server.port}/`
      try {
        return await http.send({ url, method: 'GET', timeoutMs: 60_000, maxResponseBytes: 100 })
      } finally {
        http.close()
      }
    }

    it('use the checked addresses, resolved once', async () => {
      const answers = ['127.0.0.1', '127.0.0.9']
      let asked = 0
      const resolve: Resolve = async () => [{ address: answers[asked++] ?? '', family: 4 }]
      const { status } = await send(resolve, (address) => address === '127.0.0.1')
      assert.deepEqual([status, asked, server.asked.at(-1)?.headers.host], [200, 1, `graph.example.org:${server.port}`])
    })

    it('are refused when one of the addresses is not public', async () => {
      const before = server.asked.length
      for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1'], ['::1', '2606:4700::1111']]) {
        const resolve: Resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        await assert.rejects(send(resolve), (error) => isNotPublic(error), addresses.join())
      }
      assert.equal(server.asked.length, before)
    })

    it('fail for names without an address', async () => {
      await assert.rejects(
        send(async () => []),
        /ENOTFOUND/,
      )
      const failing: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'EAI_AGAIN' }))
      await assert.rejects(send(failing), (error) => error instanceof Error && /EAI_AGAIN/.test(error.message) && !isNotPublic(error))
    })
  })
})
