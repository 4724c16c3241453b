import assert from 'node:assert/strict'
import { type BlockId, bigintToBytes, toHash } from '@keelson/primitives'
import type { NodeHeads } from './heads-judge.ts'
import { PublishedJudge, type PublishedView } from './published-judge.ts'

const MINUTE_MS = 60_000

/** Blocks from `otherFrom` on are of another branch. */
function node(unsafe: number, safe: number, otherFrom = 1_000): NodeHeads {
  const id = (number: number) => ({ number, hash: toHash(bigintToBytes(BigInt(number >= otherFrom ? 5_000 + number : number), 32)) })
  const heads = { unsafe: id(unsafe), safe: id(safe), finalized: id(0) }
  return { name: `${otherFrom}`, resets: 1, heads, isSafeOriginCanonical: true, ancestor: (_, number) => id(number).hash }
}

function judged(looks: readonly Partial<PublishedView>[]): readonly string[] {
  const texts: string[] = []
  const judge = new PublishedJudge((rule, text) => texts.push(`${rule} ${text.split(/\D/, 1)[0]}`))
  for (const [i, look] of looks.entries())
    judge.look({ validators: [], sequencer: null, nowMs: i * MINUTE_MS, lastFaultMs: 0, reorgs: 0, ...look })
  return texts
}

describe('the judge of published blocks', () => {
  it('accepts blocks that become safe as they were published', () => {
    assert.deepEqual(judged([{ validators: [node(5, 0), node(7, 1)], sequencer: node(9, 0) }, { sequencer: node(17, 11) }]), [])
  })

  it('reports two blocks at one height', () => {
    const rule = 'one block at a height is published'
    assert.deepEqual(judged([{ validators: [node(5, 0)] }, { validators: [node(6, 2, 5)] }]), [`${rule} 5`])
  })

  it('reports a block that was replaced between two looks, unless L1 was reorganized', () => {
    const texts: string[] = []
    const judge = new PublishedJudge((_, text) => texts.push(text))
    const [first, other] = [5, 6].map((value) => ({ number: 5, hash: toHash(bigintToBytes(BigInt(value), 32)) })) as [BlockId, BlockId]
    const at = { nowMs: MINUTE_MS, reorgs: 0 }
    judge.hear(first, at)
    judge.hear(first, at)
    judge.hear(other, { ...at, reorgs: 1 })
    assert.deepEqual(texts, [])
    judge.hear(other, at)
    assert.equal(texts.length, 1)
  })

  it('reports a block that did not become safe, once', () => {
    const sequencer = node(17, 11, 5)
    const texts = judged([{ validators: [node(5, 0)] }, { sequencer }, { sequencer }])
    assert.deepEqual(texts.length, 1)
    assert.match(texts[0] ?? '', /^published blocks become safe/)
  })

  it('accepts that a reorg of L1 replaces blocks, until all nodes have followed', () => {
    const looks = [
      { validators: [node(5, 0)] },
      { validators: [node(6, 0)], reorgs: 1 },
      { validators: [node(8, 0, 3)], reorgs: 1, nowMs: 3 * MINUTE_MS, lastFaultMs: 9 * MINUTE_MS },
      { validators: [node(9, 0, 4)], sequencer: node(20, 9, 4), reorgs: 1, nowMs: 13 * MINUTE_MS },
    ]
    assert.deepEqual(judged(looks), [])
  })
})
