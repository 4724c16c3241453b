import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { limitReadTime } from './read-deadline.ts'

const LARGE = Buffer.alloc(64 * 1024 * 1024)

describe('the time to read an answer', () => {
  let server: Server
  let respond: (response: ServerResponse) => void
  beforeEach(async () => {
    server = createServer((_request, response) => respond(response))
    limitReadTime(server, 500)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const request = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    return socket
  }

  for (const [what, send] of [
    ['an answer', (response: ServerResponse) => void response.end(LARGE)],
    ['an event stream', (response: ServerResponse) => void response.write(LARGE)],
  ] as const) {
    it(`ends for ${what} that nobody reads`, async () => {
      respond = send
      const [socket] = (await Promise.all([once(server, 'connection'), request()]))[0]
      await once(socket, 'close')
    })
  }

  it('does not end for a stream that is always behind but read', async () => {
    let written = 0
    respond = (response) => {
      const more = () => {
        // The connection always has bytes that wait.
        for (let i = 0; i < 16 && response.writableLength < 4 * 1024 * 1024; i++) response.write(Buffer.alloc(256 * 1024))
        written = response.socket?.bytesWritten ?? written
        if (!response.destroyed) setImmediate(more)
      }
      more()
    }
    const socket = await request()
    let read = 0
    const startedMs = performance.now()
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
    })
    socket.on('data', (chunk) => {
      read += chunk.length
    })
    // Several deadlines.
    while (performance.now() - startedMs < 2_000) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isClosed, false)
    assert.ok(read > 0 && written > 0)
    socket.destroy()
  })

  it('does not count the time of the work before the answer', async () => {
    let answer: (() => void) | undefined
    respond = (response) => {
      answer = () => response.end('done')
    }
    const socket = await request()
    const startedMs = performance.now()
    while (performance.now() - startedMs < 1_200) await new Promise((resolve) => setImmediate(resolve))
    answer?.()
    assert.match(String((await once(socket, 'data'))[0]), /done/)
    socket.destroy()
  })
})
