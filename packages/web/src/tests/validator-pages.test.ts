import assert from 'node:assert/strict'
import { idsWithoutSeat } from '../client/data/staking/ids-without-seat.ts'
import { searchBack } from '../client/data/staking/search-back.ts'

describe('the pages of the set', () => {
  it('together show every id without a seat once', () => {
    for (const seated of [[], [1], [7, 3, 4], [1, 2, 3], [10], [9, 10, 2]]) {
      const all = Array.from({ length: 10 }, (_, i) => i + 1).filter((id) => !seated.includes(id))
      const pages = [0, 3, 6, 9].flatMap((from) => idsWithoutSeat(seated, 10, from, 3))
      assert.deepEqual(pages, all, `seated ${seated}`)
    }
  })
})

describe('a search in the past', () => {
  const events = [5, 40_000, 90_000, 90_001, 250_000]
  const searchIn =
    (mostBlocks: number, asked: number[] = []) =>
    async (from: number, to: number) => {
      asked.push(to - from + 1)
      if (to - from + 1 > mostBlocks) throw new Error('the range is too long')
      return events.filter((block) => block >= from && block <= to)
    }

  it('reads each block before the given one once, newest first, to the first block', async () => {
    assert.deepEqual(await searchBack(searchIn(100_000), 250_000, 50), { found: [90_001, 90_000, 40_000, 5], from: 0 })
  })

  it('ends when it has what was wanted, and goes on from there', async () => {
    const { found, from } = await searchBack(searchIn(100_000), 260_000, 1)
    assert.deepEqual([found, from], [[250_000], 160_000])
    assert.deepEqual((await searchBack(searchIn(100_000), from, 1)).found, [90_001, 90_000])
  })

  it('takes shorter ranges from a node that refuses long ones, and a bounded number of them', async () => {
    const asked: number[] = []
    const { found, from } = await searchBack(searchIn(10_000, asked), 100_000, 50)
    assert.deepEqual([found, from], [[90_001, 90_000, 40_000, 5], 0])
    assert.equal(asked.length, 11)
    const far: number[] = []
    assert.ok((await searchBack(searchIn(1_000, far), 100_000_000, 50)).from > 0)
    assert.equal(far.length, 20)
  })

  it('repeats why the node refuses even a short range', async () => {
    await assert.rejects(searchBack(searchIn(10), 100_000, 50), /too long/)
  })
})
