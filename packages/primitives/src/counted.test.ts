import assert from 'node:assert/strict'
import { counted } from './counted.ts'

describe('a count with its noun', () => {
  for (const [count, what, text] of [
    [1, 'transaction', '1 transaction'],
    [0, 'transaction', '0 transactions'],
    [2, 'L1 block', '2 L1 blocks'],
    [1, 'address', '1 address'],
    [2, 'address', '2 addresses'],
    [3, 'batch', '3 batches'],
    [3, 'key', '3 keys'],
    [2, 'query', '2 queries'],
    [2, 'day', '2 days'],
  ] as const) {
    it(`reads ${text}`, () => {
      assert.equal(counted(count, what), text)
    })
  }
})
