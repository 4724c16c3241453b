import assert from 'node:assert/strict'
import { nextTurn } from './event-loop.ts'
import { singleFlight } from './single-flight.ts'

describe('work that runs once at a time for a key', () => {
  it('is shared by all who ask meanwhile, also its failure, and runs again for those who ask later', async () => {
    const runs: string[] = []
    const ask = singleFlight(async (key: string, fails: boolean) => {
      runs.push(key)
      await nextTurn()
      if (fails) throw new Error(key)
      return runs.length
    })
    const shared = await Promise.all([ask('a', false), ask('a', true), ask('b', false)])
    assert.deepEqual(runs, ['a', 'b'])
    assert.equal(shared[0], shared[1])
    const failures = await Promise.allSettled([ask('a', true), ask('a', false)])
    assert.deepEqual(
      failures.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await ask('a', false), 4)
  })
})
