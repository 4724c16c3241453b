import assert from 'node:assert/strict'
import { concatBytes, NodeError, type Random } from '@keelson/primitives'
import { createSeededRandom } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import { ByteReader } from './byte-reader.ts'
import { encodeHello } from './hello.ts'
import { openSession } from './open-session.ts'
import { collect, createSessionWorld, ETH_68, openHostile } from './session-world.test-support.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('hostile RLPx frames', () => {
  it('ends the session at a changed byte of a frame', async () => {
    for (const at of [0, 20, 40, 60]) {
      const { opened, writer, send } = await openHostile()
      const session = await opened
      const received = collect(session, 'eth')
      const frame = writer.frame(0x13, snappyCompress(new Uint8Array(30)))
      frame[Math.min(at, frame.length - 1)] = (frame[Math.min(at, frame.length - 1)] as number) ^ 1
      await send(frame)
      const end = await session.closed
      assert.deepEqual([end.reason, end.by], ['protocolBreach', 'local'])
      assert.match(end.detail, /wrong MAC/)
      assert.equal(received.length, 0)
    }
  })

  it('ends the session at a frame above the limit, before its body arrives', async () => {
    const { opened, writer, send } = await openHostile()
    const session = await opened
    collect(session, 'eth')
    const frame = writer.frame(0x13, new Uint8Array(12 * 1024 * 1024))
    await send(frame.subarray(0, 32))
    assert.match((await session.closed).detail, /frame of 12582913 bytes/)
  })

  it('ends the session at a message that is not compressed, of no capability, or of code 0', async () => {
    const wrong = [
      [0x13, Uint8Array.of(0xff, 0xff, 0x01, 0x00)],
      [0x7f, snappyCompress(Uint8Array.of(0xc0))],
      [0x21, snappyCompress(Uint8Array.of(0xc0))],
      [0x00, snappyCompress(Uint8Array.of(0xc0))],
    ] as const
    for (const [code, payload] of wrong) {
      const { opened, writer, send } = await openHostile()
      const session = await opened
      collect(session, 'eth')
      await send(writer.frame(code, payload))
      assert.equal((await session.closed).reason, 'protocolBreach')
    }
  })

  it('refuses random hellos with a coded error', async () => {
    const random = createSeededRandom(3)
    for (let i = 0; i < 60; i++) {
      const { opened, world } = await openHostile(mutatedHello(random))
      await world.clock.advance(7_000)
      await opened.then(
        (session) => assert.ok(session.capabilities.length > 0),
        (error: unknown) => assert.ok(error instanceof NodeError, String(error)),
      )
    }
  })

  it('refuses random bytes instead of a handshake', async () => {
    const random = createSeededRandom(4)
    for (let i = 0; i < 200; i++) {
      const world = createSessionWorld()
      const opened = openSession(world.streams[1], null, world.listener, world.deps)
      opened.catch(() => undefined)
      await world.streams[0].write(random.bytes(Math.floor(random.next() * 600)))
      world.streams[0].end()
      await assert.rejects(opened, (error: unknown) => error instanceof NodeError && /^(p2p|codec)\//.test(error.code))
      assert.ok(world.streams[1].isDestroyed)
    }
  })

  it('survives random messages behind valid frames', async () => {
    const random = createSeededRandom(5)
    for (let i = 0; i < 60; i++) {
      const { opened, writer, send } = await openHostile()
      const session = await opened
      const received = collect(session, 'eth')
      for (let k = 0; k < 8; k++) {
        const payload = random.bytes(Math.floor(random.next() * 100))
        const code = 1 + Math.floor(random.next() * 0x7e)
        await send(writer.frame(code, random.next() < 0.7 ? snappyCompress(payload) : payload))
      }
      await settle()
      await settle()
      assert.ok(received.length <= 8)
      void session.disconnect('requested')
    }
  }).timeout(20_000)

  it('holds no more than what arrived of an announced frame', async () => {
    const before = process.memoryUsage().arrayBuffers
    const parts = [Uint8Array.of(1, 2, 3)]
    const reader = new ByteReader(
      (async function* () {
        yield* parts
        await new Promise(() => undefined)
      })(),
    )
    void reader.read(16_000_000)
    await settle()
    assert.ok(process.memoryUsage().arrayBuffers - before < 4_000_000)
  })

  it('reads frames that arrive byte by byte', async () => {
    const { world, opened, writer } = await openHostile()
    const session = await opened
    const received = collect(session, 'eth')
    const frame = concatBytes(writer.frame(0x10, snappyCompress(Uint8Array.of(1))), writer.frame(0x11, snappyCompress(Uint8Array.of(2))))
    for (const byte of frame) await world.streams[0].write(Uint8Array.of(byte))
    for (let i = 0; i < 20; i++) await settle()
    assert.deepEqual(received, [
      [0, Uint8Array.of(1)],
      [1, Uint8Array.of(2)],
    ])
  })
})

function mutatedHello(random: Random): Uint8Array {
  const world = createSessionWorld()
  const hello = encodeHello({ client: 'x', listenPort: 1, capabilities: [ETH_68], id: world.dialer.key.publicKey })
  const changes = 1 + Math.floor(random.next() * 4)
  for (let i = 0; i < changes; i++) hello[Math.floor(random.next() * hello.length)] = Math.floor(random.next() * 256)
  return hello
}
