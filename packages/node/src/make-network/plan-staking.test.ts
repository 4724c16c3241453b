import assert from 'node:assert/strict'
import { createForkSchedule, forksAtGenesis } from '@keelson/chainspec'
import { decodeUint, PREINSTALLS, STAKING_WORDS } from '@keelson/contracts'
import { encodeStakingParameters, openContractFiles, openGenesisSession } from '@keelson/devnet/genesis'
import { type Address, bytesToHex, createPureCrypto, l2Time, toAddress, toHash } from '@keelson/primitives'
import { getCreate2Address, keccak256 } from 'ethers'
import { createTestEngine } from '../../../../test/support/test-engine.ts'
import { planStaking, stakingMistakes } from './plan-staking.ts'
import { type Preset, presetStaking } from './presets.ts'

const SENDER = toAddress(`0x${'ab'.repeat(20)}`)
const SALT = toHash(`0x${'07'.repeat(32)}`)
const CHAIN_ID = 77_001n
const contracts = openContractFiles()

function openChain() {
  const engine = createTestEngine({ crypto: createPureCrypto() })
  const rules = createForkSchedule({ times: forksAtGenesis(contracts.fork) }).blockRules(l2Time(1))
  const session = openGenesisSession({ engine, rules, chainId: CHAIN_ID, timestampSec: 1, gasLimit: 30_000_000n, baseFeeWei: 7n })
  for (const { address, code } of contracts.preinstalls(CHAIN_ID)) session.place(address, { code, nonce: 1n })
  const call = (to: Address, data: Uint8Array) => session.call(SENDER, to, data)
  return { call, code: async (address: Address) => session.code(address) }
}

describe('Staking on a chain that began without it', () => {
  for (const [preset, minimum] of [
    ['test', 1_000n],
    ['main', 10_000n],
  ] as const) {
    it(`${preset}: is made where CREATE2 puts it, with a minimum stake of ${minimum} and real days`, async () => {
      const chain = openChain()
      const parameters = presetStaking(preset, 2)
      const plan = planStaking(contracts, parameters, SALT)
      const creation = `${bytesToHex(contracts.artifact('Staking').bytecode)}${bytesToHex(encodeStakingParameters(parameters)).slice(2)}`
      const expected = getCreate2Address(PREINSTALLS.DeterministicDeploymentProxy, SALT, keccak256(creation))
      assert.equal(plan.address, expected.toLowerCase())
      assert.equal((await chain.code(plan.address)).length, 0)
      await chain.call(plan.to, plan.data)
      const word = async (name: keyof typeof STAKING_WORDS) => decodeUint(await chain.call(plan.address, STAKING_WORDS[name]))
      assert.equal(await word('minimumStake'), minimum * 10n ** 18n)
      assert.equal(await word('dayBlocks'), 43_200n)
      assert.equal(await word('rewardPerBlock'), 2n * 10n ** 18n)
      assert.deepEqual(await stakingMistakes(chain, plan.address, parameters), [])
      const other = await stakingMistakes(chain, plan.address, { ...parameters, minimumStakeWei: 5n })
      assert.deepEqual(other, [`minimumStake of ${plan.address} is ${minimum * 10n ** 18n}, expected 5`])
    })
  }

  it('keeps hours and days at their real length when blocks take another time, but not the short periods of a devnet', () => {
    const days = (preset: Preset, blockTimeSec: number) => {
      const { hourBlocks, dayBlocks, unbondingBlocks } = presetStaking(preset, blockTimeSec)
      return [hourBlocks, dayBlocks, unbondingBlocks].map((blocks) => blocks * blockTimeSec)
    }
    for (const blockTimeSec of [1, 2, 4]) {
      assert.deepEqual(days('test', blockTimeSec), [3_600, 86_400, 86_400])
      assert.deepEqual(days('main', blockTimeSec), [3_600, 86_400, 7 * 86_400])
    }
    assert.deepEqual(presetStaking('devnet', 1), presetStaking('devnet', 2))
  })
})
