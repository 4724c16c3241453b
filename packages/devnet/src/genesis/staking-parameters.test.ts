import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import { concatBytes, createPureCrypto, l2Time } from '@keelson/primitives'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { openContractFiles } from './contract-files.ts'
import { runConstructor } from './genesis-session.ts'
import { encodeStakingParameters, STAKING_PARAMETERS, type StakingParameters, stakingPeriodMistakes } from './staking-parameters.ts'

const chain = {
  engine: createTestEngine({ crypto: createPureCrypto() }),
  rules: createForkSchedule({ times: forksAtGenesis('jovian') }).blockRules(l2Time(0)),
  chainId: 1n,
  timestampSec: 0,
  gasLimit: 30_000_000n,
  baseFeeWei: 7n,
}
const { bytecode } = openContractFiles().artifact('Staking')
const make = (parameters: StakingParameters) => runConstructor(chain, concatBytes(bytecode, encodeStakingParameters(parameters)))

describe('staking parameters', () => {
  it('of every named set are those the networks announce, and taken by the contract', async () => {
    const tokens = 10n ** 18n
    for (const [name, set] of Object.entries(STAKING_PARAMETERS)) {
      assert.deepEqual(stakingPeriodMistakes(set), [], name)
      assert.ok((await make(set)).code.length > 0, name)
      assert.deepEqual([set.seats, set.rewardPerBlockWei], [100, 2n * tokens], name)
    }
    const { main, test, devnet } = STAKING_PARAMETERS
    assert.deepEqual(
      [main, test, devnet].map((set) => set.minimumStakeWei / tokens),
      [10_000n, 1_000n, 1_000n],
    )
    assert.deepEqual(
      [main, test, devnet].map((set) => set.epochBlocks),
      [150, 150, 15],
    )
    for (const { hourBlocks, dayBlocks, evidenceBlocks, graceBlocks } of [main, test]) {
      assert.deepEqual([hourBlocks * 2, dayBlocks * 2, evidenceBlocks, graceBlocks], [3_600, 86_400, 8_000, 10])
    }
  })

  it('that the contract refuses are mistakes, and no others are', async () => {
    const { devnet } = STAKING_PARAMETERS
    for (const [change, mistaken] of [
      [{ hourBlocks: 20 }, 'hourBlocks'],
      [{ dayBlocks: 0 }, 'dayBlocks'],
      [{ unbondingBlocks: devnet.evidenceBlocks + 30 }, 'unbondingBlocks'],
    ] as const) {
      const set = { ...devnet, ...change }
      assert.deepEqual(
        stakingPeriodMistakes(set).map(([name]) => name),
        [mistaken],
      )
      await assert.rejects(make(set), { code: 'node/genesis-execution' })
    }
    const least = { ...devnet, hourBlocks: 15, unbondingBlocks: devnet.evidenceBlocks + 31 }
    assert.deepEqual(stakingPeriodMistakes(least), [])
    assert.ok((await make(least)).code.length > 0)
  })
})
