import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createUptimeRing, decodeUptimeRing, RING_MINUTES, SAMPLES_PER_MINUTE } from './uptime-ring.ts'

const START = 29_000_000

describe('the record of an uptime', () => {
  it('counts minutes without an entry as down', () => {
    const ring = createUptimeRing()
    assert.equal(ring.share(60), null)
    ring.record(START, 6)
    assert.equal(ring.share(60), 1)
    ring.record(START + 3, 3)
    assert.equal(ring.share(60), 9 / 24)
    assert.equal(ring.share(1), 1 / 2)
    assert.equal(ring.shareSinceStart(), 9 / 24)
  })

  it('of two weeks has the size of one of a minute, and forgets the older week', () => {
    const ring = createUptimeRing()
    const size = ring.encode().length
    for (let minute = 0; minute < 2 * RING_MINUTES; minute++) ring.record(START + minute, minute < RING_MINUTES ? 0 : 6)
    assert.equal(ring.encode().length, size)
    assert.equal(ring.share(RING_MINUTES), 1)
    assert.equal(ring.shareSinceStart(), 1 / 2)
  })

  it('ignores a clock that goes back a little, and resets when it was far ahead', () => {
    const ring = createUptimeRing()
    ring.record(START, 6)
    ring.record(START - 5, 0)
    assert.equal(ring.share(60), 1)
    ring.record(START - 100_000, 3)
    assert.equal(ring.share(60), 1 / 2)
    assert.equal(ring.shareSinceStart(), 1 / 2)
  })

  it('is what a list of all minutes says, and the same after it was written and read', () => {
    const entry = fc.record({ wait: fc.constantFrom(1, 1, 1, 2, 90, 3 * RING_MINUTES), good: fc.nat(SAMPLES_PER_MINUTE) })
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: RING_MINUTES }), (entries, window) => {
        const all: number[] = []
        let ring = createUptimeRing()
        let minute = START
        for (const { wait, good } of entries) {
          if (all.length > 0) all.push(...new Array<number>(wait - 1).fill(0))
          minute += wait
          all.push(good)
          ring.record(minute, good)
          ring = decodeUptimeRing(ring.encode()) as typeof ring
        }
        const last = all.slice(-window)
        const sum = (list: readonly number[]) => list.reduce((total, good) => total + good, 0)
        assert.equal(ring.share(window), sum(last) / (last.length * SAMPLES_PER_MINUTE))
        assert.equal(ring.shareSinceStart(), sum(all) / (all.length * SAMPLES_PER_MINUTE))
      }),
      { numRuns: 50 },
    )
  })

  it('refuses bytes that are no record', () => {
    const ring = createUptimeRing()
    ring.record(START, 6)
    const bytes = ring.encode()
    const changed = (at: number, value: number) => bytes.map((byte, index) => (index === at ? value : byte))
    for (const bad of [
      new Uint8Array(0),
      bytes.slice(1),
      changed(0, 0),
      changed(7, 9),
      changed(8, 0x7f),
      changed(24, 0x7f),
      changed(40, 7),
    ])
      assert.equal(decodeUptimeRing(bad), null)
    assert.notEqual(decodeUptimeRing(bytes), null)
  })
})
