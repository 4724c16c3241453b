import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BatchDraft } from '../disk/batch-draft.ts'
import { createMemoryKeyValueStore } from '../memory-store.ts'
import { addChange, findNextChange, historyIndexKey, removeChange } from './history-index.ts'

describe('the history index', () => {
  it('stores few changes in one record and many in a tree', () => {
    const draft = new BatchDraft(createMemoryKeyValueStore())
    for (let i = 0; i < 32; i++) addChange(draft, 'k', 1000 * i)
    assert.equal(draft.ops().length, 1)
    assert.equal(draft.get(historyIndexKey(3, 'k', 0))?.[0], 0)
    addChange(draft, 'k', 32_000)
    assert.deepEqual(draft.get(historyIndexKey(3, 'k', 0)), Uint8Array.of(1, 0))
    assert.deepEqual(draft.get(historyIndexKey(0, 'k', 125)), Uint8Array.of(0), '32,000 is the first block of shard 125')
    assert.equal(
      findNextChange((key) => draft.get(key), 'k', 31_001),
      32_000,
    )
  })

  it('finds the next change as a sorted list would, over the whole range of block numbers', () => {
    const block = fc.oneof(fc.nat(600), fc.nat(2 ** 17), fc.integer({ min: 2 ** 24 - 300, max: 2 ** 24 + 300 }), fc.nat(2 ** 32 - 1))
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 80 }),
        fc.array(block, { maxLength: 20 }),
        fc.array(block, { minLength: 1 }),
        (added, removed, asked) => {
          const draft = new BatchDraft(createMemoryKeyValueStore())
          const read = (key: string) => draft.get(key)
          const model = new Set(added)
          let bytes = 0
          for (const number of model) bytes += addChange(draft, 'k', number)
          for (const number of [...removed, ...added.slice(0, added.length / 2)]) {
            if (model.delete(number)) bytes -= removeChange(draft, 'k', number)
          }
          for (const from of [...asked, ...added]) {
            const expected = [...model].filter((number) => number >= from).sort((a, b) => a - b)[0] ?? null
            assert.equal(findNextChange(read, 'k', from), expected)
            assert.equal(findNextChange(read, 'other', from), null)
          }
          for (const number of model) bytes -= removeChange(draft, 'k', number)
          assert.equal(bytes, 0, 'removal subtracts all bytes of the records')
          assert.ok(draft.ops().every((op) => 'del' in op))
        },
      ),
      { numRuns: 200 },
    )
  })
})
