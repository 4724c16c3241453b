import assert from 'node:assert/strict'
import { FUND_GAS } from '@keelson/contracts'
import { CONTRACT_CHAINS, type ContractChain } from '../support/contract-chain.ts'
import { eventNames, NUMBER_HASHES, stakingAbi } from '../support/staking-contract.ts'
import { beginDuty, DUTY_KEYS, STRANGER } from '../support/staking-duty.ts'

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the reward pool of the contract Staking on ${name}`, () => {
    let chain: ContractChain
    before(async () => {
      chain = await open([NUMBER_HASHES])
    })
    after(() => chain.stop())

    it('accepts a deposit within the gas limit of fund-pool when it is empty and the deposit closes an epoch', async () => {
      const world = await beginDuty(chain)
      for (const epoch of [world.first, world.first + 1]) {
        if (epoch > world.epoch()) await world.approachEpoch(epoch)
        await world.attestTo(epoch, ...DUTY_KEYS)
      }
      await world.approachEpoch(world.first + 2)
      assert.notEqual(await world.read('shortfall'), 0n)
      const funded = await chain.send({
        from: STRANGER,
        to: world.address,
        abi: stakingAbi,
        name: 'fund',
        args: [],
        valueWei: 1_000n,
        gas: FUND_GAS,
      })
      assert.deepEqual(eventNames(world, funded), ['EpochClosed', 'PoolShort', 'PoolFunded'])
      assert.equal((await world.read('accounts'))[3], 1_000n)
      assert.equal(await world.read('shortfall'), 0n)
    })
  })
}
