import assert from 'node:assert/strict'
import { createManualClock, createTokenBucket } from '@keelson/runtime'
import { snappyCompress } from '@keelson/runtime/snappy'
import { collect, createSessionWorld, openHostile } from './session-world.test-support.ts'

async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('what a peer may cost', () => {
  it('charges a peer for what its messages expand to, not for the few bytes that it sends', async () => {
    const world = createSessionWorld({}, { readBytes: { perSec: 1_000_000, burst: 3_000_000 } })
    const [a, b] = await world.open()
    collect(a, 'eth')
    const received = collect(b, 'eth')
    for (let i = 0; i < 5; i++) await a.send('eth', 1, new Uint8Array(1_000_000))
    await settle()
    assert.ok(world.streams[0].written < 500_000, `${world.streams[0].written} bytes sent`)
    assert.equal(received.length, 2)
    await world.clock.advance(100)
    assert.equal(received.length, 3)
  })

  it('lets all sessions together read no more than their share, in turns', async () => {
    const clock = createManualClock(1_000)
    const allReads = createTokenBucket({ perSec: 2_000_000, burst: 2_100_000 }, clock)
    const pairs = [
      await createSessionWorld({}, {}, { clock, allReads }).open(),
      await createSessionWorld({}, {}, { clock, allReads }).open(),
    ]
    const received = pairs.map(([, b]) => collect(b, 'eth'))
    for (const [a] of pairs) {
      collect(a, 'eth')
      for (let i = 0; i < 10; i++) await a.send('eth', 1, new Uint8Array(1_000_000))
    }
    const counts = () => received.map(({ length }) => length)
    await settle()
    assert.deepEqual(counts(), [2, 0])
    for (let i = 0; i < 30; i++) await clock.advance(100)
    assert.deepEqual(counts(), [5, 3], 'three more messages of each')
  })

  it('ends the session of a peer that sends pings without end', async () => {
    const { world, opened, writer, send } = await openHostile()
    const session = await opened
    collect(session, 'eth')
    const ping = () => send(writer.frame(0x02, snappyCompress(Uint8Array.of(0xc0))))
    for (let i = 0; i < 16; i++) await ping()
    await settle()
    await world.clock.advance(2_000)
    for (let i = 0; i < 3; i++) await ping()
    assert.deepEqual(await session.closed, { reason: 'protocolBreach', by: 'local', detail: 'too many pings' })
  })

  it('does not blame a peer for a disconnect that is empty or not compressed', async () => {
    for (const [payload, reason] of [
      [Uint8Array.of(0xc1, 0x04), 'tooManyPeers'],
      [Uint8Array.of(0x04), 'tooManyPeers'],
      [new Uint8Array(0), 'requested'],
    ] as const) {
      const { opened, writer, send } = await openHostile()
      const session = await opened
      collect(session, 'eth')
      await send(writer.frame(0x01, payload))
      assert.deepEqual(await session.closed, { reason, by: 'remote', detail: '' })
    }
  })
})
