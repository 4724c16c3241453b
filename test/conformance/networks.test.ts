import assert from 'node:assert/strict'
import { getNetwork } from './networks.ts'

describe('networks of fixtures', () => {
  const most = (name: string, timestampSec: number, stated = {}) =>
    getNetwork(name, stated).rulesAt({ number: 1, timestampSec }, 0n).blobParameters?.max

  it('change their blob parameters with the fork, not before (EIP-7691, EIP-7892)', () => {
    assert.deepEqual([most('CancunToPragueAtTime15k', 14_999), most('CancunToPragueAtTime15k', 15_000)], [6, 9])
    assert.deepEqual([most('OsakaToBPO1AtTime15k', 14_999), most('OsakaToBPO1AtTime15k', 15_000)], [9, 15])
    assert.deepEqual([most('BPO1ToBPO2AtTime15k', 14_999), most('BPO1ToBPO2AtTime15k', 15_000)], [15, 21])
    assert.equal(most('BPO2', 0), 21)
  })

  it('take the parameters that the fixture states', () => {
    const stated = { BPO1: { target: '0x0a', max: '0x0c', baseFeeUpdateFraction: '0x4c6964' } }
    assert.deepEqual([most('BPO1', 0, stated), most('OsakaToBPO1AtTime15k', 15_000, stated)], [12, 12])
  })

  it('are refused by name if no rules are known', () => {
    assert.throws(() => getNetwork('OsakaToTomorrowAtTime15k'), /unknown network OsakaToTomorrowAtTime15k/)
  })
})
