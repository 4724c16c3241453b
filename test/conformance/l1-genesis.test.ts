import assert from 'node:assert/strict'
import { createL1Schedule, loadL1ChainConfig } from '@keelson/chainspec'
import { withBlobSchedule } from './l1-genesis.ts'

const MERGED = { chainId: 1, terminalTotalDifficulty: 0, londonBlock: 0, shanghaiTime: 0 }

describe('genesis files without blob parameters', () => {
  it('get those of Ethereum mainnet (EIP-4844, EIP-7691, EIP-7892)', () => {
    const config = { ...MERGED, cancunTime: 0, pragueTime: 10, osakaTime: 20, bpo1Time: 30, bpo2Time: 40 }
    const schedule = createL1Schedule(loadL1ChainConfig(withBlobSchedule({ config })))
    const most = [0, 10, 20, 30, 40].map((time) => schedule.blockRules(1, time).blobParameters?.max)
    assert.deepEqual(most, [6, 9, 9, 15, 21])
  })

  it('keep what they state, and are left alone without blobs', () => {
    const own = { target: 1, max: 2, baseFeeUpdateFraction: 3_338_477 }
    const stated = { config: { ...MERGED, cancunTime: 0, blobSchedule: { cancun: own } } }
    assert.equal(withBlobSchedule(stated), stated)
    assert.equal(createL1Schedule(loadL1ChainConfig(withBlobSchedule(stated))).blockRules(1, 0).blobParameters?.max, 2)
    const older = { config: MERGED }
    assert.equal(withBlobSchedule(older), older)
  })
})
