import assert from 'node:assert/strict'
import { crc32c, utf8ToBytes } from '@keelson/primitives'
import { assert as holds, property, uint8Array } from 'fast-check'
import { snappyFrames, snappyUnframe } from './snappy-frames.ts'

const LIMIT = 1 << 20
const IDENTIFIER = [0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59]

describe('snappy frames', () => {
  it('checksums as RFC 3720 has them', () => {
    assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa)
    assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43)
    assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e)
    assert.equal(crc32c(utf8ToBytes('123456789')), 0xe3069283)
  })

  it('give back what went in, in chunks of 64 KiB', () => {
    holds(
      property(uint8Array({ maxLength: 300 }), (data) => {
        assert.deepEqual(snappyUnframe(snappyFrames(data), LIMIT), data)
      }),
    )
    const long = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) % 251)
    assert.deepEqual(snappyUnframe(snappyFrames(long), LIMIT), long)
  })

  it('skip padding and what later versions add, and refuse what they must not skip', () => {
    const framed = [...snappyFrames(Uint8Array.of(1, 2, 3))]
    const padding = [0xfe, 2, 0, 0, 9, 9]
    const later = [0x80, 1, 0, 0, 7]
    assert.deepEqual(snappyUnframe(Uint8Array.from([...framed, ...padding, ...later]), LIMIT), Uint8Array.of(1, 2, 3))
    assert.equal(snappyUnframe(Uint8Array.from([...framed, 0x02, 0, 0, 0]), LIMIT), null)
  })

  it('a second identifier may follow, a wrong or missing one is refused', () => {
    const framed = [...snappyFrames(Uint8Array.of(1))]
    assert.deepEqual(snappyUnframe(Uint8Array.from([...framed, ...framed]), LIMIT), Uint8Array.of(1, 1))
    assert.equal(snappyUnframe(Uint8Array.from(framed.slice(IDENTIFIER.length)), LIMIT), null)
    assert.equal(snappyUnframe(Uint8Array.from([0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x58]), LIMIT), null)
    assert.equal(snappyUnframe(new Uint8Array(0), LIMIT), null)
  })

  it('any changed bit after the headers is noticed', () => {
    const framed = snappyFrames(Uint8Array.from({ length: 64 }, (_, i) => i))
    for (let at = IDENTIFIER.length + 4; at < framed.length; at++) {
      const broken = framed.slice()
      broken[at] = (broken[at] as number) ^ 1
      assert.equal(snappyUnframe(broken, LIMIT), null, `byte ${at}`)
    }
  })

  it('never give more than the limit, nor throw', () => {
    const zeroes = snappyFrames(new Uint8Array(LIMIT))
    assert.ok(zeroes.length < LIMIT / 10)
    assert.equal(snappyUnframe(zeroes, LIMIT)?.length, LIMIT)
    assert.equal(snappyUnframe(zeroes, LIMIT - 1), null)
    holds(
      property(uint8Array({ maxLength: 64 }), (noise) => {
        const result = snappyUnframe(Uint8Array.from([...IDENTIFIER, ...noise]), LIMIT)
        assert.ok(result === null || result.length <= LIMIT)
      }),
    )
  })
})
