import assert from 'node:assert/strict'
import { type Hash, type PayloadEnvelope, ZERO_HASH } from '@keelson/primitives'
import { makePayload } from '../../../../../test/support/payloads.ts'
import { createUnsafeQueue } from './unsafe-queue.ts'

function chain(length: number, seed = 1n): PayloadEnvelope[] {
  const blocks: PayloadEnvelope[] = []
  let parentHash: Hash = ZERO_HASH
  for (let number = 1; number <= length; number++) {
    const next = makePayload({
      number,
      parentHash,
      timestampSec: number * 2,
      l1Origin: { hash: ZERO_HASH, number: 0 },
      sequenceNumber: number,
      change: { gasUsed: seed },
    })
    blocks.push(next)
    parentHash = next.payload.blockHash
  }
  return blocks
}

const numberOf = (envelope: PayloadEnvelope | null) => envelope?.payload.blockNumber ?? null

describe('the queue of unsafe blocks', () => {
  it('returns blocks in chain order, in whatever order they arrived', () => {
    const blocks = chain(4)
    const queue = createUnsafeQueue(1_000_000)
    for (const block of [...blocks].reverse()) assert.equal(queue.add(block), 'added')
    assert.equal(queue.add(blocks[0] as PayloadEnvelope), 'known')
    const taken: (number | null)[] = []
    let parent: Hash = ZERO_HASH
    for (let next = queue.take(parent); next !== null; next = queue.take(parent)) {
      taken.push(numberOf(next))
      parent = next.payload.blockHash
    }
    assert.deepEqual(taken, [1, 2, 3, 4])
    assert.equal(queue.bytes, 0)
  })

  it('stays within its limit by dropping the highest blocks', () => {
    const blocks = chain(5)
    const queue = createUnsafeQueue(9_000)
    for (const block of blocks) queue.add(block)
    const held = queue.size
    assert.ok(held > 0 && held < 5)
    assert.ok(queue.bytes <= 9_000)
    assert.equal(queue.lowest()?.payload.blockNumber, 1)
    assert.equal(queue.add(blocks[4] as PayloadEnvelope), 'full')
  })

  it('returns the first of two blocks with the same parent, then the other', () => {
    const [first] = chain(1, 1n) as [PayloadEnvelope]
    const [second] = chain(1, 2n) as [PayloadEnvelope]
    const queue = createUnsafeQueue(1_000_000)
    queue.add(first)
    queue.add(second)
    assert.equal(queue.take(ZERO_HASH)?.payload.blockHash, first.payload.blockHash)
    assert.equal(queue.take(ZERO_HASH)?.payload.blockHash, second.payload.blockHash)
    assert.equal(queue.take(ZERO_HASH), null)
  })

  it('drops blocks at or below a height', () => {
    const queue = createUnsafeQueue(1_000_000)
    for (const block of chain(5)) queue.add(block)
    assert.equal(queue.take(ZERO_HASH)?.payload.blockNumber, 1)
    assert.equal(queue.lowest()?.payload.blockNumber, 2)
    queue.prune(3)
    assert.equal(queue.lowest()?.payload.blockNumber, 4)
    assert.equal(queue.size, 2)
  })
})
