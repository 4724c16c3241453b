import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'ws'
import { createSystemClock } from '../clock.ts'
import { createMetrics } from '../metrics.ts'
import { type BroadcastServer, createBroadcastServer } from './broadcast-server.ts'

const silent = () => undefined
const log = { debug: silent, info: silent, warn: silent, error: silent, child: () => log }

describe('a port that sends the same texts to everybody', () => {
  let server: BroadcastServer
  const open: WebSocket[] = []
  beforeEach(async () => {
    server = createBroadcastServer(
      { name: 'subblocks', host: '127.0.0.1', port: 0, option: '--subblocks.port', virtualHosts: ['localhost'] },
      { log, clock: createSystemClock(), metrics: createMetrics('execution') },
    )
    await server.start(new AbortController().signal)
  })
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.terminate()
    await server.stop()
  })
  const url = () => `ws://127.0.0.1:${(server.address as AddressInfo).port}`
  async function listener(options = {}): Promise<WebSocket> {
    const socket = new WebSocket(url(), options)
    open.push(socket)
    await once(socket, 'open')
    return socket
  }
  const refusal = async (options: object): Promise<number> => {
    const socket = new WebSocket(url(), options)
    const [, response] = await once(socket, 'unexpected-response')
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', silent))
    socket.terminate()
    await closed
    return (response as { statusCode: number }).statusCode
  }

  it('reaches every listener in order, each text as one frame', async () => {
    const sockets = [await listener(), await listener()]
    assert.equal(server.count, 2)
    const heard = sockets.map((socket) => {
      const frames: [string, boolean][] = []
      return new Promise<typeof frames>((resolve) => {
        socket.on('message', (data, isBinary) => {
          frames.push([String(data), isBinary])
          if (frames.length === 3) resolve(frames)
        })
      })
    })
    for (const text of ['one', 'two', 'three']) server.publish(text)
    const expected = [
      ['one', false],
      ['two', false],
      ['three', false],
    ]
    assert.deepEqual(await Promise.all(heard), [expected, expected])
  })

  it('disconnects a listener that sends more than a kilobyte, and ignores less', async () => {
    const [quiet, loud] = [await listener(), await listener()]
    quiet.send('x')
    loud.send('x'.repeat(2_000))
    const [code] = await once(loud, 'close')
    assert.equal(code, 1009)
    server.publish('still here')
    assert.equal(String((await once(quiet, 'message'))[0]), 'still here')
  })

  it('disconnects a listener that reads nothing once 16 MiB wait for it', async () => {
    const socket = await listener()
    ;(socket as unknown as { _socket: { pause(): void } })._socket.pause()
    const text = 'x'.repeat(4 * 2 ** 20)
    for (let i = 0; i < 40 && server.count > 0; i++) {
      server.publish(text)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.equal(server.count, 0)
  })

  it('answers to its own host names only, and tells a browser what it is for', async () => {
    assert.equal(await refusal({ headers: { host: 'attacker.example' } }), 403)
    const answer = async (headers: Record<string, string>) => {
      const sent = request({ port: (server.address as AddressInfo).port, headers }).end()
      const [response] = await once(sent, 'response')
      let body = ''
      for await (const piece of response) body += String(piece)
      return [response.statusCode, body] as const
    }
    assert.equal((await answer({}))[0], 426)
    const [status, body] = await answer({ accept: 'text/html' })
    assert.equal(status, 200)
    assert.ok(body.includes('stream of messages over WebSocket'))
  })
})
