import assert from 'node:assert/strict'
import { type Hash, toHash } from '@keelson/primitives'
import { LeadersJudge, type LeadersView } from './leaders-judge.ts'

const A = toHash(`0x${'aa'.repeat(32)}`)
const B = toHash(`0x${'bb'.repeat(32)}`)
const L1_BLOCK = { number: 3, hash: A }
const REPLACED = { number: 3, hash: B }

function judged(looks: readonly Partial<LeadersView>[]): readonly string[] {
  const rules: string[] = []
  const judge = new LeadersJudge((rule) => rules.push(rule))
  const all = { recordings: [], publications: [], isOnL1: ({ hash }: { readonly hash: Hash }) => hash === L1_BLOCK.hash }
  for (const look of looks) judge.look({ ...all, ...look })
  return rules
}

const block = (hash: Hash, recorded: Hash | null = hash) => ({ by: 'sequencer', number: 5, hash, recorded, l1Origin: L1_BLOCK })

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

  it('reports a block that is published but not recorded, unless L1 has replaced its origin', () => {
    const rule = 'blocks are recorded before they are published'
    assert.deepEqual(judged([{ publications: [block(A, null)] }]), [rule])
    assert.deepEqual(judged([{ publications: [block(A, B)] }]), [rule])
    assert.deepEqual(judged([{ publications: [{ ...block(A, B), l1Origin: REPLACED }] }]), [])
  })

  it('reports two blocks of one height, unless L1 has replaced the origin of one', () => {
    assert.deepEqual(judged([{ publications: [block(A)] }, { publications: [block(B)] }]), ['the key signs one block at a height'])
    assert.deepEqual(judged([{ publications: [{ ...block(A), l1Origin: REPLACED }] }, { publications: [block(B)] }]), [])
    const reorg = { isOnL1: ({ hash }: { readonly hash: Hash }) => hash === REPLACED.hash }
    assert.deepEqual(judged([{ publications: [block(A)] }, { ...reorg, publications: [{ ...block(B), l1Origin: REPLACED }] }]), [])
  })
})
