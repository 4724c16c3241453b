import assert from 'node:assert/strict'
import { rlpEncode } from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import { openNodeKey } from './node-key.ts'
import { openSession } from './open-session.ts'
import { collect, createSessionWorld, ETH_68, ETH_69, SNAP_1 } from './session-world.test-support.ts'
import { decompressPayload } from './snappy-payload.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('RLPx session', () => {
  it('opens between a dialer and a listener, and carries messages both ways', async () => {
    const world = createSessionWorld()
    const [a, b] = await world.open()
    assert.deepEqual(a.remote.id, world.listener.key.publicKey)
    assert.deepEqual(b.remote.id, world.dialer.key.publicKey)
    assert.deepEqual([a.remote.inbound, b.remote.inbound], [false, true])
    assert.deepEqual([a.remote.client, a.remote.listenPort], ['listener/1', 30_002])
    const [atA, atB] = [collect(a, 'eth'), collect(b, 'eth')]
    const large = new Uint8Array(3_000_000).fill(7)
    await a.send('eth', 0, rlpEncode([1, 2]))
    await a.send('eth', 16, large)
    await b.send('eth', 3, rlpEncode([3]))
    await settle()
    assert.deepEqual(atB, [
      [0, rlpEncode([1, 2])],
      [16, large],
    ])
    assert.deepEqual(atA, [[3, rlpEncode([3])]])
  })

  it('shares the highest common version of each name, in alphabetical order', async () => {
    const world = createSessionWorld({ dialer: [SNAP_1, ETH_69, ETH_68], listener: [ETH_68, ETH_69, SNAP_1, { ...ETH_69, version: 70 }] })
    const [a, b] = await world.open()
    const named = ({ capabilities }: typeof a) => capabilities.map(({ name, version }) => `${name}/${version}`)
    assert.deepEqual(named(a), ['eth/69', 'snap/1'])
    assert.deepEqual(named(b), ['eth/69', 'snap/1'])
    const [eth, snap] = [collect(b, 'eth'), collect(b, 'snap')]
    await a.send('snap', 0, Uint8Array.of(0xc0))
    await a.send('eth', 17, Uint8Array.of(0xc0))
    await settle()
    assert.deepEqual([eth.length, snap.length], [1, 1])
    assert.deepEqual([eth[0]?.[0], snap[0]?.[0]], [17, 0])
  })

  it('refuses to send a code that the capability does not have', async () => {
    const [a] = await createSessionWorld().open()
    await assert.rejects(a.send('eth', 17, new Uint8Array(0)), RangeError)
    await assert.rejects(a.send('snap', 0, new Uint8Array(0)), RangeError)
  })

  it('refuses a peer without a common capability', async () => {
    const world = createSessionWorld({ listener: [ETH_69] })
    const opened = world.open()
    opened.catch(() => undefined)
    await world.clock.advance(2_000)
    await assert.rejects(opened, { code: 'p2p/disconnected', message: /uselessPeer/ })
  })

  it('refuses to dial a node with another key', async () => {
    const world = createSessionWorld()
    const other = openNodeKey(new Uint8Array(32).fill(9)).publicKey
    const answered = openSession(world.streams[1], null, world.listener, world.deps)
    const dialed = openSession(world.streams[0], other, world.dialer, world.deps)
    await assert.rejects(answered, { code: 'p2p/handshake', message: /wrong tag/ })
    await assert.rejects(dialed, { code: 'p2p/closed' })
  })

  it('refuses a connection to itself', async () => {
    const world = createSessionWorld()
    const opened = Promise.all([
      openSession(world.streams[0], world.dialer.key.publicKey, world.dialer, world.deps),
      openSession(world.streams[1], null, world.dialer, world.deps),
    ])
    opened.catch(() => undefined)
    await world.clock.advance(2_000)
    await assert.rejects(opened, { code: 'p2p/disconnected', message: /self/ })
  })

  it('gives up a handshake that takes too long', async () => {
    const world = createSessionWorld()
    const opened = openSession(world.streams[1], null, world.listener, world.deps)
    const rejected = assert.rejects(opened, { code: 'p2p/timeout' })
    await world.clock.advance(5_000)
    await rejected
    assert.ok(world.streams[1].isDestroyed)
  })

  it('tells the reason of a disconnect, and refuses to send afterwards', async () => {
    const world = createSessionWorld()
    const [a, b] = await world.open()
    collect(a, 'eth')
    collect(b, 'eth')
    void a.disconnect('tooManyPeers')
    assert.deepEqual(await a.closed, { reason: 'tooManyPeers', by: 'local', detail: '' })
    assert.deepEqual(await b.closed, { reason: 'tooManyPeers', by: 'remote', detail: '' })
    await assert.rejects(a.send('eth', 0, Uint8Array.of(0xc0)), { code: 'p2p/closed' })
  })

  it('keeps an idle session open with pings', async () => {
    const world = createSessionWorld()
    const [a, b] = await world.open()
    const messages = [collect(a, 'eth'), collect(b, 'eth')]
    for (let i = 0; i < 120; i++) await world.clock.advance(1_000)
    await a.send('eth', 1, Uint8Array.of(0xc0))
    await settle()
    assert.equal(messages[1]?.length, 1)
  })

  it('ends a session when the peer is silent', async () => {
    const world = createSessionWorld()
    const [a, b] = await world.open()
    collect(a, 'eth')
    collect(b, 'eth')
    world.streams[1].stalled = true
    await world.clock.advance(32_000)
    assert.equal((await a.closed).reason, 'timeout')
  })

  it('ends a session when the peer does not read', async () => {
    const world = createSessionWorld({}, { readIdleMs: 1e9, pingAfterMs: 1e9 })
    const [a] = await world.open()
    collect(a, 'eth')
    world.streams[0].stalled = true
    void a.send('eth', 1, Uint8Array.of(0xc0)).catch(() => undefined)
    await world.clock.advance(22_000)
    assert.match((await a.closed).detail, /nothing was taken/)
  })

  it('ends a session when too many bytes wait to be written', async () => {
    const world = createSessionWorld({}, { maxWaitingBytes: 1_000 })
    const [a] = await world.open()
    collect(a, 'eth')
    world.streams[0].stalled = true
    const noise = world.deps.random.bytes(600)
    a.send('eth', 1, noise).catch(() => undefined)
    await assert.rejects(a.send('eth', 1, noise), { code: 'p2p/closed' })
    assert.match((await a.closed).detail, /bytes wait/)
  })

  it('ends a session whose handler throws', async () => {
    const world = createSessionWorld()
    const [a, b] = await world.open()
    collect(a, 'eth')
    b.onMessage('eth', () => {
      throw new Error('broken')
    })
    await a.send('eth', 1, Uint8Array.of(0xc0))
    assert.deepEqual(await b.closed, { reason: 'subprotocol', by: 'local', detail: 'broken' })
  })

  it('slows down a peer that sends more than its share', async () => {
    const world = createSessionWorld({}, { readBytes: { perSec: 5_000, burst: 5_000 }, messageCostBytes: 2_048 })
    const [a, b] = await world.open()
    collect(a, 'eth')
    const received = collect(b, 'eth')
    for (let i = 0; i < 10; i++) await a.send('eth', 1, Uint8Array.of(0xc0))
    await settle()
    await settle()
    assert.equal(received.length, 2)
    await world.clock.advance(1_000)
    assert.ok(received.length >= 4 && received.length <= 5, `${received.length}`)
  })
})

describe('RLPx snappy bound', () => {
  it('refuses a stated length that the data cannot expand to', () => {
    assert.throws(() => decompressPayload(Uint8Array.of(0xff, 0xff, 0xff, 0x04, 0)), { code: 'p2p/message' })
    assert.throws(() => decompressPayload(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff)), { code: 'p2p/message' })
    assert.throws(() => decompressPayload(new Uint8Array(0)), { code: 'p2p/message' })
  })

  it('refuses more than 10 MiB before it allocates', () => {
    const bomb = snappyCompress(new Uint8Array(10 * 1024 * 1024 + 1))
    assert.ok(bomb.length < 600_000)
    assert.throws(() => decompressPayload(bomb), { code: 'p2p/message', message: /10485761/ })
    assert.equal(decompressPayload(snappyCompress(new Uint8Array(10 * 1024 * 1024))).length, 10 * 1024 * 1024)
  })
})
