import assert from 'node:assert/strict'
import { type BlobParameters, ethParameters, MAINNET_BLOB_PARAMETERS } from '@keelson/chainspec'
import { expectedExcessBlobGas, GAS_PER_BLOB } from './blob-fee.ts'

const PRAGUE = { ...MAINNET_BLOB_PARAMETERS.prague, fromTimeSec: 0 } as BlobParameters
const CANCUN = { ...MAINNET_BLOB_PARAMETERS.cancun, fromTimeSec: 0 } as BlobParameters
const TARGET_GAS = 6n * GAS_PER_BLOB

function excess(parameters: BlobParameters, reserve: boolean, parent: { excess: bigint; used: bigint; baseFeeWei?: bigint }): bigint {
  const header = { excessBlobGas: parent.excess, blobGasUsed: parent.used, baseFeeWei: parent.baseFeeWei ?? 1n }
  return expectedExcessBlobGas(header, parameters, reserve)
}

/** go-ethereum, consensus/misc/eip4844/eip4844_test.go */
describe('excess blob gas', () => {
  it('changes by the gas used above or below the target, and stays at least zero (EIP-4844)', () => {
    const target = 3n * GAS_PER_BLOB
    const cases: readonly (readonly [excess: bigint, blobs: bigint, expected: bigint])[] = [
      [0n, 0n, 0n],
      [0n, 3n, 0n],
      [0n, 4n, GAS_PER_BLOB],
      [1n, 5n, 2n * GAS_PER_BLOB + 1n],
      [target, 3n, target],
      [target, 1n, target - 2n * GAS_PER_BLOB],
      [GAS_PER_BLOB - 1n, 2n, 0n],
    ]
    for (const [before, blobs, expected] of cases) {
      assert.equal(excess(CANCUN, false, { excess: before, used: blobs * GAS_PER_BLOB }), expected, `${before} and ${blobs} blobs`)
    }
  })

  it('grows even at the target while blobs are below the reserve price (EIP-7918)', () => {
    const atTarget = { excess: 0n, used: TARGET_GAS }
    assert.equal(excess(PRAGUE, true, { ...atTarget, baseFeeWei: 1_000_000_000n }), (TARGET_GAS * 3n) / 9n)
    assert.equal(excess(PRAGUE, true, { ...atTarget, baseFeeWei: 1n }), 0n)
    assert.equal(excess(PRAGUE, false, { ...atTarget, baseFeeWei: 1_000_000_000n }), 0n, 'before Osaka')
  })

  it('follows the schedule of blob-only forks with the reserve price (EIP-7892), on a Fusaka development network', () => {
    const bpo = (target: number, max: number, baseFeeUpdateFraction: bigint) => ({
      name: 'bpo',
      fromTimeSec: 0,
      target,
      max,
      baseFeeUpdateFraction,
    })
    assert.equal(excess(bpo(9, 14, 8_832_827n), true, { excess: 5_149_252n, used: 1_310_720n, baseFeeWei: 30n }), 5_617_366n)
    assert.equal(excess(bpo(21, 32, 20_609_697n), true, { excess: 19_251_039n, used: 2_490_368n, baseFeeWei: 50n }), 20_107_103n)
  })

  it('has the reserve price from Osaka on, Amsterdam included', () => {
    const forks = ['prague', 'osaka', 'amsterdam'] as const
    assert.deepEqual(
      forks.map((fork) => ethParameters(fork).blobReservePrice),
      [false, true, true],
    )
  })
})
