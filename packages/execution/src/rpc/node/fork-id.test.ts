import assert from 'node:assert/strict'
import { toHash } from '@keelson/primitives'
import { forkId } from './fork-id.ts'

describe('fork id', () => {
  // Values for Ethereum mainnet from EIP-2124 and EIP-6122.
  const genesis = toHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
  const upTo = (blocks: readonly number[], times: readonly number[] = []) => forkId(genesis, { blocks, times }, Number.MAX_SAFE_INTEGER)
  const hex = (id: number) => `0x${id.toString(16).padStart(8, '0')}`

  it('has the values of the specification', () => {
    assert.equal(hex(upTo([])), '0xfc64ec04')
    assert.equal(hex(upTo([1_150_000])), '0x97c2c34c')
    assert.equal(hex(upTo([1_150_000, 1_920_000])), '0x91d1f948')
    assert.equal(hex(upTo([1_150_000, 1_920_000, 2_463_000, 2_675_000, 4_370_000])), '0xa00bc324')
    assert.equal(hex(upTo([1_150_000, 1_920_000, 2_463_000, 2_675_000, 4_370_000, 7_280_000])), '0x668db0af')
  })

  it('counts a fork by time from its second on', () => {
    const forks = { blocks: [], times: [100] }
    assert.equal(forkId(genesis, forks, 99), upTo([]))
    assert.equal(forkId(genesis, forks, 100), upTo([100]))
  })
})
