import assert from 'node:assert/strict'
import { type BlockId, bigintToBytes, toHash } from '@keelson/primitives'
import type { NodeHeads } from './heads-judge.ts'
import { type PublishedBlock, PublishedJudge, type PublishedView } from './published-judge.ts'

const BRANCH = 5_000
const idOf = (value: number) => toHash(bigintToBytes(BigInt(value), 32))
/** Each L2 block has the L1 block of its number as its origin; both are on the other branch from `BRANCH` on. */
const blockOf = (value: number): PublishedBlock => ({
  number: value % BRANCH,
  hash: idOf(value),
  l1Origin: { number: value, hash: idOf(value) },
})
const onL1 = (most: number, branchFrom = BRANCH) => ({
  isOnL1: ({ number }: BlockId) => number <= most || number >= BRANCH + branchFrom,
})

/** Blocks from `otherFrom` on are of another branch. */
function node(unsafe: number, safe: number, otherFrom = 1_000): NodeHeads {
  const at = (number: number) => blockOf(number >= otherFrom ? BRANCH + number : number)
  return {
    name: `${otherFrom}`,
    resets: 1,
    heads: { unsafe: at(unsafe), safe: at(safe), finalized: at(0) },
    isSafeOriginCanonical: true,
    ancestor: (_, number) => at(number).hash,
    originOf: (hash) => ({ number: Number(BigInt(hash)), hash }),
  }
}

function judged(looks: readonly Partial<PublishedView>[]): readonly string[] {
  const texts: string[] = []
  const judge = new PublishedJudge((rule, text) => texts.push(`${rule} ${/\d+/.exec(text)?.[0]}`))
  for (const look of looks) judge.look({ validators: [], sequencer: null, isOnL1: () => true, ...look })
  return texts
}

function heard(blocks: readonly PublishedBlock[], { isOnL1 } = onL1(BRANCH)): readonly string[] {
  const texts: string[] = []
  const judge = new PublishedJudge((_, text) => texts.push(text))
  for (const block of blocks) judge.hear(block, isOnL1)
  return texts
}

describe('the judge of published blocks', () => {
  const one = 'one block at a height is published'
  const safe = 'published blocks become safe'

  it('accepts blocks that become safe as they were published', () => {
    assert.deepEqual(judged([{ validators: [node(5, 0), node(7, 1)], sequencer: node(9, 0) }, { sequencer: node(17, 11) }]), [])
  })

  it('reports two blocks at one height, once', () => {
    assert.deepEqual(judged([{ validators: [node(5, 0)] }, { validators: [node(6, 2, 5)] }, { validators: [node(7, 2, 5)] }]), [`${one} 5`])
  })

  it('reports a block that was replaced between two looks, unless L1 replaced its origin', () => {
    const blocks = [blockOf(5), blockOf(5), blockOf(BRANCH + 5)]
    assert.equal(heard(blocks, onL1(5, 0)).length, 1)
    assert.deepEqual(heard(blocks, onL1(4, 5)), [])
  })

  it('accepts a block of the old branch that arrives late', () => {
    assert.deepEqual(heard([blockOf(BRANCH + 5), blockOf(5), blockOf(BRANCH + 5)], onL1(4, 5)), [])
  })

  it('reports a block that did not become safe, once', () => {
    const sequencer = node(17, 11, 5)
    assert.deepEqual(judged([{ validators: [node(5, 0)] }, { sequencer }, { sequencer }]), [`${safe} 5`])
  })

  it('accepts that a reorg of L1 replaces the blocks whose origins it replaced, and no others', () => {
    const before = { validators: [node(6, 0)] }
    const after = (otherFrom: number) => ({ validators: [node(7, 0, otherFrom)], sequencer: node(9, 6, otherFrom), ...onL1(3, 4) })
    assert.deepEqual(judged([before, after(4)]), [])
    assert.deepEqual(judged([before, { ...after(3), ...onL1(3, 0) }]), [`${one} 3`])
  })

  it('does not compare with a safe head that L1 has replaced', () => {
    const sequencer = { ...node(17, 11, 5), isSafeOriginCanonical: false }
    assert.deepEqual(judged([{ validators: [node(5, 0)] }, { sequencer }]), [])
  })
})
