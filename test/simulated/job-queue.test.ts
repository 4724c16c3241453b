import assert from 'node:assert/strict'
import { JobQueue } from './job-queue.ts'

describe('the queue of jobs', () => {
  it('gives every fixed job on a machine so slow that the limit is over', () => {
    const queue = new JobQueue(['a', 'b', 'c'], ['seed'], 100)
    queue.took(80)
    assert.deepEqual([queue.next(0), queue.next(90), queue.next(170), queue.next(250)], ['a', 'b', 'c', null])
  })

  it('gives further jobs while one as long as the longest so far ends within the limit', () => {
    const queue = new JobQueue(['a'], ['seed 1', 'seed 2', 'seed 3'], 100)
    queue.next(0)
    queue.took(40)
    assert.deepEqual([queue.next(40), queue.next(60), queue.next(61)], ['seed 1', 'seed 2', null])
  })

  it('ends when no job is left', () => {
    const queue = new JobQueue(['a'], [], 100)
    assert.deepEqual([queue.next(0), queue.next(0)], ['a', null])
  })
})
