import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fastLzLength } from './fastlz.ts'

describe('FastLZ length', () => {
  it('is zero for empty data, and one byte more per run of 32 literals', () => {
    assert.equal(fastLzLength(new Uint8Array(0)), 0)
    assert.equal(fastLzLength(Uint8Array.of(1)), 2)
    const noMatch = Uint8Array.from({ length: 256 }, (_, i) => i)
    assert.equal(fastLzLength(noMatch), 8 * 33)
    assert.equal(fastLzLength(noMatch.subarray(0, 33)), 33 + 2)
  })

  it('counts three bytes for a long match', () => {
    assert.ok(fastLzLength(new Uint8Array(1000)) < 35)
  })

  it('never exceeds a byte in 32 more than the input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (data) => {
        assert.ok(fastLzLength(data) <= data.length + Math.ceil(data.length / 32))
      }),
    )
  })

  it('does not depend on earlier calls', () => {
    const data = Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 50)
    const alone = fastLzLength(data)
    fastLzLength(new Uint8Array(5000).fill(9))
    assert.equal(fastLzLength(data), alone)
  })
})
