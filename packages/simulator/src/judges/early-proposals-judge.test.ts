import assert from 'node:assert/strict'
import type { Hash } from '@keelson/primitives'
import type { Proposal } from '../l1/l1-state.ts'
import { EarlyProposalsJudge } from './early-proposals-judge.ts'

const proposal = (l2BlockNumber: number): Proposal => ({
  l2BlockNumber,
  outputRoot: `0x${l2BlockNumber.toString(16).padStart(64, '0')}` as Hash,
})

/** Six L2 blocks have one origin. */
const originNumber = (l2BlockNumber: number) => Math.floor(l2BlockNumber / 6)

function judgeWithTexts() {
  const texts: string[] = []
  return { judge: new EarlyProposalsJudge((rule, text) => texts.push(`${rule}: ${text}`)), texts }
}

describe('the judge of early proposals', () => {
  it('accepts a block whose origin is final', () => {
    const { judge, texts } = judgeWithTexts()
    judge.look({ proposals: [proposal(300)], finalizedL1Number: 50, originNumber })
    assert.deepEqual(texts, [])
  })

  it('reports a block whose origin is not final once', () => {
    const { judge, texts } = judgeWithTexts()
    const view = { proposals: [proposal(300), proposal(600)], finalizedL1Number: 99, originNumber }
    judge.look(view)
    judge.look(view)
    assert.equal(texts.length, 1)
    assert.match(texts[0] as string, /^only final blocks are proposed: block 600 .* L1 block 100, and 99 is final$/)
  })

  it('looks again at a block whose origin no node can say', () => {
    const { judge, texts } = judgeWithTexts()
    judge.look({ proposals: [proposal(600)], finalizedL1Number: 99, originNumber: () => null })
    assert.deepEqual(texts, [])
    judge.look({ proposals: [proposal(600)], finalizedL1Number: 99, originNumber })
    assert.equal(texts.length, 1)
  })

  it('judges the proposals of a branch that replaced others', () => {
    const { judge, texts } = judgeWithTexts()
    judge.look({ proposals: [proposal(300), proposal(306)], finalizedL1Number: 51, originNumber })
    judge.look({ proposals: [proposal(300), proposal(900)], finalizedL1Number: 52, originNumber })
    assert.equal(texts.length, 1)
  })
})
