import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { findListener } from '@keelson/runtime'
import { dialPeer, parsePeerAddress } from './dial-peer.ts'

describe('dialling a peer', () => {
  it('tells a libp2p node from a closed port and from something else', async () => {
    const hello = Buffer.from('\u0013/multistream/1.0.0\n', 'latin1')
    const answering = async (answer: string | Buffer) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).resume()
        socket.end(answer)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      const why = await dialPeer({ host: '127.0.0.1', port }, 2000)
      await new Promise<void>((resolve) => server.close(() => resolve()))
      return { why, port }
    }
    assert.equal((await answering(hello)).why, null)
    assert.match(String((await answering('HTTP/1.1 400 Bad Request\r\n\r\n')).why), /not a libp2p node/)
    const { why, port } = await answering('')
    assert.match(String(why), /closed the connection/)
    assert.equal(await dialPeer({ host: '127.0.0.1', port }, 2000), 'ECONNREFUSED')
    assert.equal(await findListener('127.0.0.1', port), null)
  })

  it('reads the TCP part of an address', () => {
    assert.deepEqual(parsePeerAddress('/dns4/node.example.org/tcp/9222/p2p/16Uiu2'), { host: 'node.example.org', port: 9222 })
    assert.deepEqual(parsePeerAddress('/ip6/::1/tcp/1'), { host: '::1', port: 1 })
    assert.equal(parsePeerAddress('/ip4/127.0.0.1/udp/9222/quic'), null)
    assert.equal(parsePeerAddress('127.0.0.1:9222'), null)
  })
})
