import assert from 'node:assert/strict'
import { createMemoryStore } from '@keelson/runtime'
import { BUCKETS } from '../store/buckets.ts'
import { createNewerBlockRecord } from './newer-block-record.ts'

describe('the record of a block before which derivation stopped', () => {
  for (const [what, value] of [
    ['nothing', Uint8Array.of()],
    ['a version without a block', Uint8Array.of(3)],
    ['a version that only a newer release knows', Uint8Array.of(9, ...new Uint8Array(2_000))],
    ['version 0', Uint8Array.of(0, ...new Uint8Array(2_000))],
    ['bytes that are no block', Uint8Array.of(4, ...new Uint8Array(2_000).fill(255))],
  ] as const) {
    it(`with ${what} is unreadable, and does not end the start`, async () => {
      const store = createMemoryStore()
      await store.batch([{ put: Uint8Array.of(BUCKETS.newerBlock), value }])
      const found = createNewerBlockRecord(store).read()
      assert.equal(found?.kind, 'unreadable')
    })
  }
})
