import assert from 'node:assert/strict'
import { type Hash, keccak256Hash, rlpEncode, toHash } from '@keelson/primitives'
import { TransactionHashes } from './transaction-hashes.ts'

describe('hashes of stored transactions', () => {
  const blocks = [0, 1].map((seed) => [10, 11, 12].map((byte) => new Uint8Array([2, 192 + seed, byte])))
  const hashOf = (block: number): Hash => toHash(new Uint8Array(32).fill(block))

  it('are those of the block that is asked for, and each body is read once for consecutive requests', () => {
    const hashes = new TransactionHashes()
    const read: number[] = []
    const get = (block: number, index: number) =>
      hashes.get(hashOf(block), index, () => {
        read.push(block)
        return rlpEncode([blocks[block] ?? [], []])
      })
    for (const block of [0, 1, 0])
      for (const [index, raw] of (blocks[block] ?? []).entries()) assert.equal(get(block, index), keccak256Hash(raw))
    assert.deepEqual(read, [0, 1])
    assert.equal(get(0, 3), null)
  })

  it('are unknown without a body', () => {
    assert.equal(
      new TransactionHashes().get(hashOf(0), 0, () => null),
      null,
    )
  })
})
