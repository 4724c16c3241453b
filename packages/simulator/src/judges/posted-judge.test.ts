import assert from 'node:assert/strict'
import { PostedJudge, type PostedView } from './posted-judge.ts'

const channel = (from: number, to: number, isOriginOnL1 = true) => ({ id: `0x${from}`, from, to, isOriginOnL1 })

function judged(looks: readonly Partial<PostedView>[]): readonly string[] {
  const texts: string[] = []
  const judge = new PostedJudge((_, text) => texts.push(text))
  for (const [i, look] of looks.entries()) judge.look({ channels: [], isL1Wrong: false, l1Number: i, ...look })
  return texts
}

describe('the judge of posted blocks', () => {
  it('accepts channels that follow each other', () => {
    assert.deepEqual(judged([{ channels: [channel(1, 30), channel(31, 60)] }, { channels: [channel(61, 61)] }]), [])
  })

  it('reports a block that is in two channels', () => {
    assert.deepEqual(judged([{ channels: [channel(1, 30)] }, { channels: [channel(30, 60)] }]), ['30 to 60 in 0x30, after 1 to 30 in 0x1'])
  })

  it('accepts that blocks are posted again after a channel whose origin L1 has replaced', () => {
    assert.deepEqual(judged([{ channels: [channel(1, 30, false)] }, { channels: [channel(1, 30)] }]), [])
  })

  it('accepts that blocks are posted again after a reorg or an old head of L1, for 15 L1 blocks', () => {
    for (const disturbed of [{ channels: null }, { isL1Wrong: true }]) {
      const before = [{ channels: [channel(1, 30)] }, disturbed]
      assert.deepEqual(judged([...before, { channels: [channel(1, 30)] }, { channels: [channel(1, 30)] }]), [])
      const late = { l1Number: 16, channels: [channel(1, 30)] }
      assert.equal(judged([...before, late, late]).length, 1)
    }
  })
})
