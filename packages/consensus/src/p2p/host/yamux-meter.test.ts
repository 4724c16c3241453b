import assert from 'node:assert/strict'
import { concatBytes } from '@keelson/primitives'
import fc from 'fast-check'
import { FRAME_COSTS, YamuxMeter } from './yamux-meter.ts'

function frame(type: number, flags: number, stream: number, length: number): Uint8Array {
  const header = new Uint8Array(12)
  const view = new DataView(header.buffer)
  view.setUint8(1, type)
  view.setUint16(2, flags)
  view.setUint32(4, stream)
  view.setUint32(8, length)
  return type === 0 ? concatBytes(header, new Uint8Array(length).fill(0xff)) : header
}

const [DATA, WINDOW, PING] = [0, 1, 2]
const [SYN, ACK] = [1, 2]

describe('the cost of yamux frames', () => {
  it('does not depend on how they are split into chunks', () => {
    const all = concatBytes(
      frame(WINDOW, SYN, 1, 0),
      frame(DATA, 0, 1, 300),
      frame(PING, SYN, 0, 7),
      frame(DATA, ACK, 1, 0),
      frame(WINDOW, 0, 1, 9),
    )
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const meter = new YamuxMeter()
        let cost = 0
        let pieces = 0
        for (let at = 0; at < all.length; pieces++) {
          const size = sizes[pieces % sizes.length] as number
          cost += meter.received(all.subarray(at, at + size))
          at += size
        }
        assert.equal(cost, 5 * FRAME_COSTS.frame + FRAME_COSTS.openedStream + pieces * FRAME_COSTS.chunk)
        assert.deepEqual([meter.unansweredPings, meter.longestFrame], [1, 300])
      }),
    )
  })

  it('counts pings until their replies are sent', () => {
    const meter = new YamuxMeter()
    for (let i = 0; i < 3; i++) meter.received(frame(PING, SYN, 0, i))
    meter.received(frame(PING, ACK, 0, 0))
    meter.sent(frame(DATA, 0, 1, 5))
    assert.equal(meter.unansweredPings, 3)
    for (let i = 0; i < 5; i++) meter.sent(frame(PING, ACK, 0, i))
    assert.equal(meter.unansweredPings, 0)
  })

  it('grows with the bytes', () => {
    assert.equal(
      new YamuxMeter().received(frame(DATA, 0, 1, 10 * 1_024)),
      FRAME_COSTS.chunk + FRAME_COSTS.frame + 10 * FRAME_COSTS.kilobyte,
    )
  })
})
