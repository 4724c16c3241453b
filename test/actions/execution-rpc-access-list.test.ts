import assert from 'node:assert/strict'
import { hexToBytes, toAddress } from '@keelson/primitives'
import { createExecutionWorld, type ExecutionWorld } from '../support/execution-world.ts'

const REVERTS = toAddress('0x00000000000000000000000000000000000ec005')
const slot = `0x${'42ff'.padStart(64, '0')}`
/** SLOAD(0x42ff), REVERT */
const CODE = hexToBytes('0x6142ff54505f5ffd')
const INPUT = '0x000001'
/** PUSH2 SLOAD(warm) POP PUSH0 PUSH0 REVERT */
const RUN_GAS = 3n + 100n + 2n + 2n + 2n
const LIST_GAS = 2_400n + 1_900n

describe('execution RPC: access lists', () => {
  let world: ExecutionWorld
  before(async () => {
    world = await createExecutionWorld({ alloc: [{ address: REVERTS, nonce: 1n, balanceWei: 0n, code: CODE, storage: [] }] })
    await world.mine()
  })
  after(() => world.stop())
  const from = () => world.accounts[0]?.address

  it('include the slots of a reverting call and its gas with the list, whatever fees it states', async () => {
    const expected = {
      accessList: [{ address: REVERTS, storageKeys: [slot] }],
      gasUsed: `0x${(21_000n + 2n * 4n + 16n + LIST_GAS + RUN_GAS).toString(16)}`,
      error: 'execution reverted',
    }
    for (const fees of [{}, { gasPrice: '0xba43b7400' }, { maxFeePerGas: '0xba43b7400', maxPriorityFeePerGas: '0x1' }]) {
      const call = { from: from(), to: REVERTS, input: INPUT, gas: '0x186a0', ...fees }
      assert.deepEqual(await world.call('eth_createAccessList', call, 'latest'), expected, JSON.stringify(fees))
    }
  })

  it('are empty for a transfer', async () => {
    const call = { from: from(), to: toAddress('0x0100000000000000000000000000000000000000'), value: '0xa' }
    assert.deepEqual(await world.call('eth_createAccessList', call, 'latest'), { accessList: [], gasUsed: '0x5208' })
  })
})
