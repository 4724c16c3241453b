/** specs: jovian/exec-engine.md#da-footprint-block-limit */
import assert from 'node:assert/strict'
import { bytesToHex, hexToBytes, TX_FEE_MARKET } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'

const SCALAR = 400n
const TO = hexToBytes(`0x${'ee'.repeat(20)}`)

/** FastLZ encodes a literal run of at most 32 bytes with one extra byte. */
function incompressible(length: number): Uint8Array {
  let state = 1n
  return Uint8Array.from({ length }, () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & (2n ** 64n - 1n)
    return Number(state >> 33n) & 0xff
  })
}

function sign(world: ExecutionWorld, nonce: bigint, dataBytes: number): Uint8Array {
  return world.sign(0, {
    type: TX_FEE_MARKET,
    chainId: world.chainId,
    nonce,
    gasLimit: 21_000n + 40n * BigInt(dataBytes),
    to: TO,
    valueWei: 0n,
    data: incompressible(dataBytes),
    accessList: [],
    maxFeePerGasWei: 10_000_000_000n,
    maxPriorityFeePerGasWei: 0n,
  }).raw
}

/** (836,500 * FastLZ size - 42,585,600) / 10^6, at least 100. */
function estimate(fastLzBytes: number): bigint {
  const scaled = (836_500n * BigInt(fastLzBytes) - 42_585_600n) / 1_000_000n
  return scaled < 100n ? 100n : scaled
}

describe('DA footprint of a block', () => {
  it('is 100 bytes times the scalar for each small transaction, and nothing for deposits', async () => {
    const world = await createExecutionWorld()
    const transactions = [0n, 1n, 2n].map((nonce) => sign(world, nonce, 0))
    const block = await world.mine({ noTxPool: true, transactions })
    assert.equal(block.header.blobGasUsed, 3n * 100n * SCALAR)
    assert.equal((await world.mine({ noTxPool: true })).header.blobGasUsed, 0n)
    await world.stop()
  })

  it('follows the compressed size of larger ones: literals cost one byte more for each 32', async () => {
    const world = await createExecutionWorld()
    const raw = sign(world, 0n, 3200)
    const block = await world.mine({ noTxPool: true, transactions: [raw] })
    const footprint = block.header.blobGasUsed ?? 0n
    const literals = estimate(raw.length + Math.ceil(raw.length / 32)) * SCALAR
    assert.ok(footprint <= literals && footprint > (literals * 99n) / 100n, `${footprint} of ${literals}`)
    const receipt = (await world.call('eth_getBlockReceipts', block.hash))[1]
    assert.equal(BigInt(receipt.blobGasUsed), footprint)
    assert.equal(BigInt(receipt.daFootprintGasScalar), SCALAR)
    await world.stop()
  })

  it('must not exceed the gas limit, however little gas is used', async () => {
    const world = await createExecutionWorld({ gasLimit: 2_000_000n })
    const fifty = Array.from({ length: 50 }, (_, i) => sign(world, BigInt(i), 0))
    const limit = 2_000_000n
    assert.ok(50n * 21_000n < limit)
    const full = await world.mine({ noTxPool: true, transactions: fifty, gasLimit: limit })
    assert.equal(full.header.blobGasUsed, limit)
    assert.ok(full.header.gasUsed < limit)
    const tooMany = Array.from({ length: 51 }, (_, i) => sign(world, 50n + BigInt(i), 0))
    await assert.rejects(world.mine({ noTxPool: true, transactions: tooMany, gasLimit: limit }))
    await world.stop()
  })

  it('determines the base fee when it exceeds the gas used', async () => {
    const world = await createExecutionWorld({ gasLimit: 6_000_000n })
    const block = await world.mine({ noTxPool: true, transactions: Array.from({ length: 40 }, (_, i) => sign(world, BigInt(i), 0)) })
    const { baseFeeWei, blobGasUsed, gasUsed } = block.header
    assert.ok(baseFeeWei !== null && gasUsed < 1_000_000n)
    assert.equal(blobGasUsed, 1_600_000n)
    const next = await world.mine({ noTxPool: true })
    // Usage is 600,000 above the target of 1,000,000; the denominator is 250.
    assert.equal(next.header.baseFeeWei, baseFeeWei + (baseFeeWei * 600_000n) / 1_000_000n / 250n)
    assert.equal(bytesToHex(next.header.extraData).slice(0, 20), '0x01000000fa00000006')
    await world.stop()
  })
})
