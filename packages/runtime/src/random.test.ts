import assert from 'node:assert/strict'
import { createSeededRandom, createSystemRandom } from './random.ts'

describe('random', () => {
  it('repeats only with the same seed', () => {
    const draw = (seed: number) => {
      const random = createSeededRandom(seed)
      return [random.next(), random.next(), ...random.bytes(8)]
    }
    assert.deepEqual(draw(7), draw(7))
    assert.notDeepEqual(draw(7), draw(8))
  })

  it('stays in [0, 1) and is uniform', () => {
    for (const random of [createSeededRandom(1), createSystemRandom()]) {
      const buckets = new Array<number>(10).fill(0)
      for (let i = 0; i < 10_000; i++) {
        const value = random.next()
        assert.ok(value >= 0 && value < 1)
        buckets[Math.floor(value * 10)] = (buckets[Math.floor(value * 10)] as number) + 1
      }
      assert.ok(
        buckets.every((count) => count > 800 && count < 1200),
        buckets.join(' '),
      )
    }
  })
})
