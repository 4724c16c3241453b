import { strict as assert } from 'node:assert'
import { createSeededRandom } from '@keelson/runtime'
import { KeyOrder } from './key-order.ts'

describe('KeyOrder', () => {
  it('has the keys that exist when somebody asks, in order', () => {
    const random = createSeededRandom(1)
    const keys = new Set<string>()
    const order = new KeyOrder((key) => keys.has(key))
    for (let round = 0; round < 200; round++) {
      for (let i = 0; i < 30; i++) {
        const key = `${Math.floor(random.next() * 500)}`
        if (random.next() < 0.4) keys.delete(key)
        else keys.add(key)
        order.touch(key)
      }
      assert.deepEqual(order.sorted.range('', '~', Number.POSITIVE_INFINITY, false), [...keys].sort())
      assert.equal(order.sorted.size, keys.size)
    }
  })
})
