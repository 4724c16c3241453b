/**
 * The names are those of anvil 1.7 (https://getfoundry.sh/anvil/reference), Hardhat Network
 * (https://hardhat.org/hardhat-network/docs/reference) and Tenderly's virtual networks.
 */
import assert from 'node:assert/strict'
import { createManualClock, RpcError } from '@keelson/runtime'
import type { RpcDependencies } from '../rpc-dependencies.ts'
import { simulatorMethods } from './simulator-methods.ts'

describe('methods of simulators on a development network', () => {
  const deps = { clock: createManualClock(0), onMove: () => () => undefined } as unknown as RpcDependencies
  const methods = simulatorMethods(deps)

  it('are refused with the command that does the same', () => {
    for (const [expected, names] of [
      ['devnet snapshot NAME', ['evm_snapshot', 'anvil_snapshot', 'anvil_dumpState']],
      ['devnet restore NAME', ['evm_revert', 'anvil_revert', 'anvil_rollback', 'anvil_reorg', 'anvil_loadState']],
      ['devnet time +1h', ['evm_increaseTime', 'evm_setNextBlockTimestamp', 'anvil_setTime', 'anvil_setBlockTimestampInterval']],
      [
        'devnet fund ADDRESS AMOUNT',
        ['anvil_setBalance', 'hardhat_setBalance', 'tenderly_setBalance', 'anvil_addBalance', 'tenderly_addBalance'],
      ],
      [
        'OptimismPortal.depositTransaction',
        ['anvil_impersonateAccount', 'hardhat_stopImpersonatingAccount', 'anvil_autoImpersonateAccount'],
      ],
      ['devnet --fresh', ['anvil_setCode', 'hardhat_setStorageAt', 'hardhat_setNonce', 'anvil_dealERC20', 'hardhat_setPrevRandao']],
      ['--block-time SECONDS', ['evm_setAutomine', 'evm_setIntervalMining', 'anvil_mine', 'hardhat_mine', 'anvil_getAutomine']],
      ['higher fees', ['anvil_dropTransaction', 'hardhat_dropTransaction', 'anvil_removePoolTransactions']],
      ['--gas-limit GAS', ['hardhat_setNextBlockBaseFeePerGas', 'anvil_setMinGasPrice', 'evm_setBlockGasLimit']],
      ['anvil --fork-url URL', ['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl']],
      ['web3_clientVersion', ['anvil_nodeInfo', 'hardhat_metadata', 'anvil_setLoggingEnabled']],
    ] as const) {
      for (const name of names) {
        const call = () => methods[name]?.([], {} as never)
        assert.throws(call, (error) => error instanceof RpcError && error.number === -32004 && error.message.includes(expected), name)
        assert.throws(call, { message: new RegExp(`^${name} is not possible on a rollup: `) })
      }
    }
  })
})
