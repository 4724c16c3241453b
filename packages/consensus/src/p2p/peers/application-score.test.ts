import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { SCORE_THRESHOLDS } from '../gossip/score-params.ts'
import { createApplicationScore } from './application-score.ts'

const BLOCK_MS = 2_000

describe('the score of requests', () => {
  it('reaches the threshold of a ban with the sixth bad payload, not with any number of errors', () => {
    const score = createApplicationScore(BLOCK_MS, createManualClock(0))
    for (let i = 0; i < 5; i++) score.note('a', 'rejectedPayloads')
    assert.equal(score.score('a'), -100)
    score.note('a', 'rejectedPayloads')
    assert.equal(score.score('a'), -120)
    for (let i = 0; i < 100; i++) score.note('b', 'errorResponses')
    assert.equal(score.score('b'), -9)
    for (let i = 0; i < 100; i++) score.note('c', 'validResponses')
    assert.equal(score.score('c'), 5)
    assert.equal(score.score('nobody'), 0)
  })

  it('mutes a peer that sends too much, and bans it when it repeats that once unmuted', async () => {
    const clock = createManualClock(0)
    const score = createApplicationScore(BLOCK_MS, clock)
    score.note('a', 'excessMessages')
    assert.equal(score.score('a'), -70)
    while (score.score('a') < SCORE_THRESHOLDS.graylistThreshold) await clock.advance(BLOCK_MS)
    score.note('a', 'excessMessages')
    assert.ok(score.score('a') < -100, `${score.score('a')}`)
    for (let i = 0; i < 100; i++) score.note('a', 'excessMessages')
    assert.equal(score.score('a'), -280)
    assert.deepEqual(Object.keys(score.counts('a')), ['validResponses', 'errorResponses', 'rejectedPayloads'])
  })

  it('disconnects a peer for one lie about a block, and sends it no request until the penalty has decayed', async () => {
    const clock = createManualClock(0)
    const score = createApplicationScore(BLOCK_MS, clock)
    for (let i = 0; i < 10; i++) score.note('a', 'validResponses')
    score.note('a', 'lies')
    await clock.advance(2 * BLOCK_MS)
    assert.ok(score.score('a') < -100, `${score.score('a')}`)
    assert.ok(score.hasLied('a'))
    assert.ok(score.counts('a').rejectedPayloads > 0)
    await clock.advance(61 * BLOCK_MS)
    assert.ok(!score.hasLied('a'))
  })

  it('fades to nothing over sixty blocks', async () => {
    const clock = createManualClock(0)
    const score = createApplicationScore(BLOCK_MS, clock)
    score.note('a', 'rejectedPayloads')
    await clock.advance(30 * BLOCK_MS)
    assert.ok(Math.abs(score.counts('a').rejectedPayloads - 0.1) < 1e-9)
    await clock.advance(31 * BLOCK_MS)
    assert.equal(score.score('a'), 0)
  })
})
