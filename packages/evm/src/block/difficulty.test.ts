import assert from 'node:assert/strict'
import { ethParameters } from '@keelson/chainspec'
import { EMPTY_OMMERS_HASH, ZERO_HASH } from '@keelson/primitives'
import { nextDifficulty } from './difficulty.ts'

const PARENT = { difficulty: 2_048_000n, timestampSec: 1000, ommersHash: EMPTY_OMMERS_HASH }
const after = (elapsedSec: number, number = 1) => ({ number, timestampSec: PARENT.timestampSec + elapsedSec })

describe('difficulty of the next block', () => {
  it('rises one step within 12 seconds and falls one after, in Frontier', () => {
    const eth = ethParameters('frontier')
    assert.equal(nextDifficulty(PARENT, after(12), eth), 2_049_000n)
    assert.equal(nextDifficulty(PARENT, after(13), eth), 2_047_000n)
    assert.equal(nextDifficulty(PARENT, after(500), eth), 2_047_000n)
  })

  it('falls with every ten seconds, at most by 99 parts, from Homestead', () => {
    const eth = ethParameters('homestead')
    assert.equal(nextDifficulty(PARENT, after(9), eth), 2_049_000n)
    assert.equal(nextDifficulty(PARENT, after(19), eth), 2_048_000n)
    assert.equal(nextDifficulty(PARENT, after(30), eth), 2_046_000n)
    assert.equal(nextDifficulty(PARENT, after(9999), eth), 2_048_000n - 99_000n)
  })

  it('rises faster after a parent with ommers, from Byzantium', () => {
    const eth = ethParameters('byzantium')
    assert.equal(nextDifficulty(PARENT, after(8), eth), 2_049_000n)
    assert.equal(nextDifficulty({ ...PARENT, ommersHash: ZERO_HASH }, after(8), eth), 2_050_000n)
  })

  it('doubles its exponential part every 100,000 blocks, delayed by later forks', () => {
    const bomb = (number: number, fork: 'frontier' | 'byzantium' | 'constantinople' | 'berlin' | 'london') =>
      nextDifficulty(PARENT, after(1, number), ethParameters(fork)) - 2_049_000n
    assert.equal(bomb(199_999, 'frontier'), 0n)
    assert.equal(bomb(200_000, 'frontier'), 1n)
    assert.equal(bomb(400_000, 'frontier'), 4n)
    assert.equal(bomb(3_400_000, 'byzantium'), 4n)
    assert.equal(bomb(5_400_000, 'constantinople'), 4n)
    assert.equal(bomb(9_400_000, 'berlin'), 4n)
    assert.equal(bomb(10_100_000, 'london'), 4n)
  })

  it('is at least 131,072, the exponential part included', () => {
    const low = { ...PARENT, difficulty: 1000n }
    assert.equal(nextDifficulty(low, after(1, 900_000), ethParameters('homestead')), 131_072n)
  })
})
