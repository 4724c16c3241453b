import assert from 'node:assert/strict'
import { bigintToBytes } from '@keelson/primitives'
import { TEST_HASH_SEED } from '../../../../test/support/test-engine.ts'
import { CoreInstance } from './core-instance.ts'
import { CODE_BYTES, CODE_ENTRY_CAPACITY, LOOKUP } from './layout.ts'

const CODE_LENGTH = 100
const NEW_CODES = 3

describe('the codes of an instance', () => {
  it('take the places of the oldest codes, one after another, when there are too many', () => {
    const { memory, exports } = new CoreInstance(TEST_HASH_SEED)
    const select = (number: number) => memory.setWord(LOOKUP, bigintToBytes(BigInt(number + 1), 32))
    const load = (number: number): number => {
      select(number)
      return memory.u32(exports.allocateCode(LOOKUP, CODE_LENGTH) + CODE_BYTES)
    }
    const places = Array.from({ length: CODE_ENTRY_CAPACITY }, (_, i) => load(i))
    const later = Array.from({ length: NEW_CODES }, (_, i) => load(CODE_ENTRY_CAPACITY + i))
    assert.deepEqual(later, places.slice(0, NEW_CODES))
    const kept = [0, NEW_CODES - 1, NEW_CODES, CODE_ENTRY_CAPACITY + NEW_CODES - 1].map((number) => {
      select(number)
      return exports.findCode(LOOKUP) !== 0
    })
    assert.deepEqual(kept, [false, false, true, true])
  })
})
