import assert from 'node:assert/strict'
import { type Hash, toHash } from '@keelson/primitives'
import { LeadersJudge, type LeadersView } from './leaders-judge.ts'

const A = toHash(`0x${'aa'.repeat(32)}`)
const B = toHash(`0x${'bb'.repeat(32)}`)
const MINUTE_MS = 60_000

function judged(looks: readonly Partial<LeadersView>[]): readonly string[] {
  const rules: string[] = []
  const judge = new LeadersJudge((rule) => rules.push(rule))
  for (const look of looks) judge.look({ recordings: [], publications: [], nowMs: 0, lastFaultMs: 0, reorgs: 0, ...look })
  return rules
}

const block = (hash: Hash, recorded: Hash | null = hash) => ({ by: 'sequencer', number: 5, hash, recorded })

describe('the judge of leaders', () => {
  it('accepts a block that its leader recorded and two sequencers published', () => {
    const recordings = [{ by: 'sequencer', leader: 'sequencer' }]
    assert.deepEqual(judged([{ recordings, publications: [block(A)] }, { publications: [{ ...block(A), by: 'sequencer-2' }] }]), [])
  })

  it('reports a record of a conductor that does not lead', () => {
    const rule = 'only the leader records blocks'
    assert.deepEqual(judged([{ recordings: [{ by: 'sequencer', leader: 'sequencer-2' }] }]), [rule])
    assert.deepEqual(judged([{ recordings: [{ by: 'sequencer', leader: null }] }]), [rule])
  })

  it('reports a block that is published but not recorded', () => {
    const rule = 'blocks are recorded before they are published'
    assert.deepEqual(judged([{ publications: [block(A, null)] }]), [rule])
    assert.deepEqual(judged([{ publications: [block(A, B)] }]), [rule])
  })

  it('reports two blocks of one height, unless L1 was reorganized between them', () => {
    assert.deepEqual(judged([{ publications: [block(A)] }, { publications: [block(B)] }]), ['the key signs one block at a height'])
    const after = { reorgs: 1, nowMs: MINUTE_MS }
    assert.deepEqual(judged([{ publications: [block(A)] }, after, { ...after, publications: [block(B)], nowMs: 9 * MINUTE_MS }]), [])
  })
})
