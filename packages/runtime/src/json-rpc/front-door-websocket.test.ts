import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { NO_API_KEYS } from './access/api-keys.ts'
import { call, closeFrontDoors, notify, oneKey, openSocket, post, reader, serveFrontDoor } from './front-door.test-support.ts'

describe('the front door of the RPC, over WebSocket', () => {
  afterEach(closeFrontDoors)

  it('counts every message, and answers 429 as JSON-RPC under the id of the call', async () => {
    const { server, clock } = await serveFrontDoor({ ws: true }, { anonymous: { perSec: 1, burst: 2 } })
    const socket = await openSocket(server)
    const next = reader(socket)
    const ask = (text: string) => {
      socket.send(text)
      return next()
    }
    assert.equal((await ask(call('subscribe'))).result, '0x1')
    for (let i = 0; i < 10; i++) assert.equal(notify('free of charge'), true)
    for (let i = 0; i < 10; i++) assert.equal((await next()).id, undefined)
    assert.deepEqual((await ask(call('echo'))).result, [])
    const refused = await ask(call('echo', [], 77))
    assert.deepEqual([refused.id, refused.error?.code], [77, 429])
    assert.equal((await post(server, call('echo'))).status, 429)
    await clock.advance(1000)
    assert.deepEqual((await ask(call('echo'))).result, [])
  })

  it('disconnects a client after two hundred refusals over all its connections', async () => {
    const { server, clock } = await serveFrontDoor({ ws: true }, { anonymous: { perSec: 0.001, burst: 1 } })
    await post(server, call('echo'))
    const flood = async () => {
      const socket = await openSocket(server)
      let answers = 0
      socket.on('message', () => answers++)
      for (let i = 0; i < 1_000; i++) socket.send(call('echo', [], i))
      const [code] = (await once(socket, 'close')) as [number]
      return [code, answers]
    }
    assert.deepEqual(await flood(), [1008, 200])
    assert.deepEqual(await flood(), [1008, 0])
    await clock.advance(1_000)
    assert.deepEqual(await flood(), [1008, 10])
  })

  it('accepts a key in the handshake, and disconnects when the key is revoked', async () => {
    let keys = oneKey('s3cret')
    const { server } = await serveFrontDoor({ ws: true }, { anonymous: { perSec: 0.001, burst: 3 }, keys: () => keys })
    const refused = new WebSocket(`${server.wsUrl}/v1/wrong`)
    assert.match(((await once(refused, 'error')) as [Error])[0].message, /401/)
    const lost = new WebSocket(`${server.wsUrl}/elsewhere`)
    assert.match(((await once(lost, 'error')) as [Error])[0].message, /404/)
    for (const socket of [await openSocket(server, '/v1/s3cret'), await openSocket(server, '', { authorization: 'Bearer s3cret' })]) {
      const next = reader(socket)
      for (let i = 0; i < 5; i++) socket.send(call('echo'))
      for (let i = 0; i < 5; i++) assert.deepEqual((await next()).result, [])
    }
    const socket = await openSocket(server, '/v1/s3cret')
    keys = NO_API_KEYS
    socket.send(call('echo'))
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
    assert.deepEqual([code, /unknown API key/.test(String(reason))], [1008, true])
  })

  it('reads at most 1 MB from an untrusted caller, and more from the holder of a key', async () => {
    const { server } = await serveFrontDoor({ ws: true }, { keys: () => oneKey('s3cret') })
    const large = call('echo').padEnd(1024 * 1024 + 1)
    const holder = await openSocket(server, '/v1/s3cret')
    holder.send(large)
    assert.deepEqual((await reader(holder)()).result, [])
    const stranger = await openSocket(server)
    stranger.send(large)
    const [code, reason] = (await once(stranger, 'close')) as [number, Buffer]
    assert.equal(code, 1009)
    assert.equal(String(reason), 'the message is larger than 1048576 bytes; split it, or use an API key of this node')
  })

  it('rejects a message of empty objects before parsing it', async () => {
    const { server } = await serveFrontDoor({ ws: true })
    const socket = await openSocket(server)
    socket.send(`[${'{},'.repeat(300_000)}0]`)
    assert.match((await reader(socket)()).error?.message ?? '', /more than 100000 brackets, commas and colons/)
  })

  it('disconnects a client whose notifications pile up, with the reason', async () => {
    const { server } = await serveFrontDoor({ ws: true, socketLimits: { maxBufferedBytes: 200_000 } })
    const socket = await openSocket(server)
    const next = reader(socket)
    socket.send(call('subscribe'))
    await next()
    socket.pause()
    let sent = 0
    while (notify('x'.repeat(50_000)) === true) {
      assert.ok(++sent < 10_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(sent > 0)
    const closing = once(socket, 'close')
    socket.resume()
    const [code, reason] = (await closing) as [number, Buffer]
    assert.equal(code, 1008)
    assert.match(String(reason), /reads too slowly: more than 200000 bytes are queued/)
  })

  it('answers one after the other when a client requests more than may be queued', async () => {
    const { server } = await serveFrontDoor({ ws: true, socketLimits: { maxBufferedBytes: 100_000 } })
    const socket = await openSocket(server)
    const next = reader(socket)
    for (let i = 0; i < 10; i++) socket.send(call('big', [3_000_000], i))
    for (let i = 0; i < 10; i++) assert.equal(String((await next()).result).length, 3_000_000)
    assert.equal(socket.readyState, WebSocket.OPEN)
  })

  it('disconnects a client with too many unread responses', async () => {
    const { server } = await serveFrontDoor({ ws: true, limits: { maxResponseBytes: 1_000_000 } })
    const socket = await openSocket(server)
    const closing = once(socket, 'close')
    for (let i = 0; i < 30; i++) socket.send(call('big', [900_000], i))
    assert.equal(((await closing) as [number])[0], 1008)
  })

  it('limits the connections of one client', async () => {
    const { server } = await serveFrontDoor({ ws: true, socketLimits: { maxConnectionsPerClient: 2 } })
    const first = await openSocket(server)
    await openSocket(server)
    const third = await openSocket(server)
    assert.deepEqual(((await once(third, 'close')) as [number])[0], 1013)
    first.terminate()
    for (let open = false; !open; ) {
      const next = await openSocket(server)
      next.send(call('echo'))
      open = (await Promise.race([once(next, 'message').then(() => 'message'), once(next, 'close').then(() => 'close')])) === 'message'
    }
  })
})
