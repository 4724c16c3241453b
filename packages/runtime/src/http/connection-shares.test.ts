import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createManualClock, createSilentLogger, parseIpAddress, subscriberOf } from '../index.ts'
import { shareConnections } from './connection-shares.ts'

async function isLetIn(server: Server, localAddress: string, sockets: Socket[]): Promise<boolean> {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const [first] = (await once(socket, 'data')) as [Buffer]
  return first.toString('latin1').startsWith('HTTP/1.1 200')
}

describe('connections of a port', () => {
  it('held open by one caller or network leave room for others', async () => {
    const server = createServer((_, response) => response.end('here'))
    const subscriber = (peer: string | undefined) => {
      const address = parseIpAddress(peer ?? '')
      return address === null ? null : subscriberOf(address)
    }
    const shares = { max: 20, perCaller: 4, perNetwork: 6 }
    shareConnections(server, shares, subscriber, { clock: createManualClock(0), log: createSilentLogger() })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const sockets: Socket[] = []
    const letIn = async (address: string, count: number) => {
      let kept = 0
      for (let i = 0; i < count; i++) if (await isLetIn(server, address, sockets)) kept++
      return kept
    }
    try {
      assert.equal(await letIn('127.0.0.1', 8), 4)
      assert.equal(await letIn('127.0.0.2', 8), 2, 'the rest of the network’s part')
      assert.equal(await letIn('127.0.1.1', 2), 2, 'of another network')
      const [first] = sockets
      assert.ok(first !== undefined)
      const closed = once(first, 'close')
      first.destroy()
      await closed
      while (!(await isLetIn(server, '127.0.0.3', sockets))) await new Promise((resolve) => setImmediate(resolve))
    } finally {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      server.close()
    }
  })
})
