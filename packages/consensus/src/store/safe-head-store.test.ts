import assert from 'node:assert/strict'
import { type BlockId, bigintToBytes, keccak256Hash } from '@keelson/primitives'
import { createMemoryStore } from '@keelson/runtime'
import { createSafeHeadStore } from './safe-head-store.ts'

const id = (number: number, salt = 0): BlockId => ({ number, hash: keccak256Hash(bigintToBytes(BigInt(number * 1_000 + salt), 8)) })

describe('the safe-head store', () => {
  it('returns the newest entry at or before an L1 block', async () => {
    const store = createSafeHeadStore(createMemoryStore())
    assert.equal(await store.latest(), null)
    for (const [l1, l2] of [
      [10, 5],
      [12, 9],
      [300, 40],
    ] as const) {
      await store.record({ l1: id(l1), l2: id(l2, 1) })
    }
    assert.deepEqual((await store.atOrBefore(11))?.l2, id(5, 1))
    assert.deepEqual((await store.atOrBefore(12))?.l2, id(9, 1))
    assert.equal(await store.atOrBefore(9), null)
    assert.deepEqual((await store.latest())?.l1, id(300))
  })

  it('keeps the last safe head of an L1 block', async () => {
    const store = createSafeHeadStore(createMemoryStore())
    await store.record({ l1: id(10), l2: id(5, 1) })
    await store.record({ l1: id(10), l2: id(6, 1) })
    assert.deepEqual((await store.atOrBefore(10))?.l2, id(6, 1))
  })

  it('deletes entries of later L1 blocks when an earlier one is written', async () => {
    const store = createSafeHeadStore(createMemoryStore())
    for (const l1 of [10, 11, 12]) await store.record({ l1: id(l1), l2: id(l1, 1) })
    await store.record({ l1: id(11, 7), l2: id(20, 1) })
    assert.deepEqual(await store.latest(), { l1: id(11, 7), l2: id(20, 1) })
    await store.truncateAfter(10)
    assert.deepEqual((await store.latest())?.l1, id(10))
  })

  it('keeps its entries over restarts', async () => {
    const kv = createMemoryStore()
    await createSafeHeadStore(kv).record({ l1: id(10), l2: id(5, 1) })
    const again = createSafeHeadStore(kv)
    await again.record({ l1: id(8, 3), l2: id(4, 1) })
    assert.deepEqual((await again.latest())?.l1, id(8, 3))
  })

  it('deletes entries of old L1 blocks', async () => {
    const store = createSafeHeadStore(createMemoryStore())
    await store.record({ l1: id(1), l2: id(1, 1) })
    await store.record({ l1: id(300_000), l2: id(2, 1) })
    assert.equal(await store.atOrBefore(299_999), null)
  })
})
