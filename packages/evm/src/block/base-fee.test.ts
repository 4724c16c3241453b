import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { hexToBytes } from '@keelson/primitives'
import { opRules } from '../../../../test/support/evm-world.ts'
import { type BaseFeeParent, nextBaseFeeWei } from './base-fee.ts'

const NO_EXTRA = new Uint8Array(0)
const parent = (changes: Partial<BaseFeeParent>): BaseFeeParent => ({
  baseFeeWei: 1_000_000_000n,
  gasLimit: 30_000_000n,
  gasUsed: 5_000_000n,
  blobGasUsed: null,
  extraData: NO_EXTRA,
  ...changes,
})
const extra = (version: number, denominator: number, elasticity: number, minimum?: bigint) =>
  hexToBytes(
    `0x${version.toString(16).padStart(2, '0')}${denominator.toString(16).padStart(8, '0')}${elasticity.toString(16).padStart(8, '0')}${
      minimum === undefined ? '' : minimum.toString(16).padStart(16, '0')
    }`,
  )

describe('next base fee', () => {
  it('starts at 1 gwei after a parent without one', () => {
    assert.equal(nextBaseFeeWei(parent({ baseFeeWei: null }), l1ForkRules('london')), 1_000_000_000n)
  })

  it('stays when the parent met its target, an L1 half or an OP sixth', () => {
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 15_000_000n }), l1ForkRules('london')), 1_000_000_000n)
    assert.equal(nextBaseFeeWei(parent({}), opRules('bedrock')), 1_000_000_000n)
  })

  it('moves an eighth on L1 for a full or an empty parent', () => {
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 30_000_000n }), l1ForkRules('london')), 1_125_000_000n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n }), l1ForkRules('london')), 875_000_000n)
  })

  it('rises by at least one wei, and falls at most to zero', () => {
    assert.equal(nextBaseFeeWei(parent({ baseFeeWei: 1n, gasUsed: 15_000_001n }), l1ForkRules('london')), 2n)
    assert.equal(nextBaseFeeWei(parent({ baseFeeWei: 0n, gasUsed: 0n }), l1ForkRules('london')), 0n)
  })

  it('falls by a 50th on Bedrock and by a 250th from Canyon', () => {
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n }), opRules('bedrock')), 980_000_000n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n }), opRules('canyon')), 996_000_000n)
  })

  it('uses the parameters of a Holocene parent', () => {
    const stated = extra(0, 8, 2)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n, extraData: stated }), opRules('holocene')), 875_000_000n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n, extraData: stated }), opRules('granite')), 996_000_000n)
  })

  it('uses the constants in the first Holocene block, whose parent has none or other data', () => {
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n }), opRules('holocene')), 996_000_000n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n, extraData: hexToBytes('0x424544524f434b') }), opRules('holocene')), 996_000_000n)
  })

  it('does not fall below the minimum of a Jovian parent', () => {
    const stated = extra(1, 250, 6, 999_000_000n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n, extraData: stated }), opRules('jovian')), 999_000_000n)
    const lower = extra(1, 250, 6, 1n)
    assert.equal(nextBaseFeeWei(parent({ gasUsed: 0n, extraData: lower }), opRules('jovian')), 996_000_000n)
  })

  it('rises to an increased minimum', () => {
    const stated = extra(1, 250, 6, 5_000_000_000n)
    assert.equal(nextBaseFeeWei(parent({ extraData: stated }), opRules('jovian')), 5_000_000_000n)
  })

  it('meters the larger of gas and DA footprint from Jovian', () => {
    const stated = extra(1, 250, 6, 0n)
    const busy = parent({ gasUsed: 0n, blobGasUsed: 30_000_000n, extraData: stated })
    assert.equal(nextBaseFeeWei(busy, opRules('jovian')), 1_020_000_000n)
    const other = parent({ gasUsed: 30_000_000n, blobGasUsed: 0n, extraData: stated })
    assert.equal(nextBaseFeeWei(other, opRules('jovian')), 1_020_000_000n)
    assert.equal(nextBaseFeeWei({ ...busy, extraData: extra(0, 250, 6) }, opRules('jovian')), 996_000_000n)
  })
})
