/** Unpatched @ethereumjs/evm with our Keccak. */
import { createBlock } from '@ethereumjs/block'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { keccak256 } from '@keelson/primitives'
import { BENCH_ENV } from '../../execution/bench-env.ts'
import { accountsOf, HARNESS, harnessCall } from '../harness.ts'
import { BENCH_GAS, type BenchEngine, CALLER } from '../work.ts'

export function createEthereumjsEngine(): BenchEngine {
  const chainId = Number(BENCH_ENV.chainId)
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Prague, customCrypto: { keccak256 } })
  const { number, timestampSec: timestamp, gasLimit } = BENCH_ENV
  const block = createBlock({ header: { number, timestamp, gasLimit, baseFeePerGas: BENCH_ENV.baseFeeWei } }, { common })
  return {
    name: 'ethereumjs',
    async prepare(work, seed) {
      const stateManager = new SimpleStateManager({ common })
      for (const { address, code } of accountsOf(work, seed)) {
        await stateManager.putAccount(new Address(address), new Account())
        if (code !== undefined) await stateManager.putCode(new Address(address), code)
      }
      const evm = await createEVM({ common, stateManager })
      return {
        async run(repetitions) {
          const data = harnessCall(work, repetitions)
          await evm.journal.cleanup()
          for (const precompile of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(precompile)
          await stateManager.checkpoint()
          const began = performance.now()
          const { execResult } = await evm.runCall({
            block,
            caller: new Address(CALLER),
            to: new Address(HARNESS),
            gasLimit: BENCH_GAS,
            data,
            skipBalance: true,
          })
          const milliseconds = performance.now() - began
          await stateManager.revert()
          return { milliseconds, output: execResult.returnValue }
        },
      }
    },
    close: async () => undefined,
  }
}
