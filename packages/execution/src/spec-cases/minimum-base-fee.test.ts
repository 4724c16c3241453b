/** specs: jovian/exec-engine.md#minimum-base-fee */
import assert from 'node:assert/strict'
import { bytesToHex, ZERO_HASH } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../../../../test/support/execution-world.ts'

async function mine(world: ExecutionWorld, minBaseFeeWei: bigint) {
  const attributes = { ...world.attributes({ noTxPool: true }), minBaseFeeWei }
  const zero = { safe: ZERO_HASH, finalized: ZERO_HASH }
  const { payloadId } = await world.engine.forkchoiceUpdated({ head: world.node.chain.label('unsafe').hash, ...zero }, attributes)
  assert.ok(payloadId !== null)
  const { payload, parentBeaconBlockRoot } = await world.engine.getPayload(payloadId)
  assert.equal((await world.engine.newPayload(payload, parentBeaconBlockRoot)).status, 'VALID')
  await world.engine.forkchoiceUpdated({ head: payload.blockHash, ...zero }, null)
  return payload
}

/** Version 1; denominator 250 (Canyon) and elasticity 6, because the parameters are zero; minimum base fee. */
const extraData = (minimum: bigint) => `0x01${'000000fa'}${'00000006'}${minimum.toString(16).padStart(16, '0')}`
/** The base fee falls by at most 1/250; the target is a sixth of the gas limit. */
const after = (baseFee: bigint, gasUsed: bigint, gasLimit: bigint) => {
  const target = gasLimit / 6n
  return baseFee - (baseFee * (target - gasUsed)) / target / 250n
}

describe('minimum base fee', () => {
  it('is in the header of its block and applies to the next block', async () => {
    const world = await createExecutionWorld({ baseFeeWei: 1_000_000_000n })
    const first = await mine(world, 998_000_000n)
    assert.equal(bytesToHex(first.extraData), extraData(998_000_000n))
    assert.equal(first.baseFeeWei, after(1_000_000_000n, 0n, first.gasLimit))
    const second = await mine(world, 0n)
    assert.ok(after(first.baseFeeWei, first.gasUsed, first.gasLimit) < 998_000_000n)
    assert.equal(second.baseFeeWei, 998_000_000n)
    const third = await mine(world, 2n ** 64n - 1n)
    assert.equal(third.baseFeeWei, after(998_000_000n, second.gasUsed, second.gasLimit))
    assert.equal(bytesToHex(third.extraData), extraData(2n ** 64n - 1n))
    await world.stop()
  })

  it('raises the fee immediately, and lets it fall step by step when lowered', async () => {
    const world = await createExecutionWorld({ baseFeeWei: 1_000_000_000n })
    await mine(world, 5_000_000_000n)
    const lifted = await mine(world, 7n)
    assert.equal(lifted.baseFeeWei, 5_000_000_000n)
    const fallen = await mine(world, 7n)
    assert.equal(fallen.baseFeeWei, after(5_000_000_000n, lifted.gasUsed, lifted.gasLimit))
    await world.stop()
  })
})
