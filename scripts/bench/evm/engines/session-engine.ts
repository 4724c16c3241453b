import type { BlockRules } from '@keelson/chainspec'
import { createMemoryView, type EvmEngine } from '@keelson/evm'
import { EMPTY_BYTES } from '@keelson/primitives'
import { BENCH_ENV } from '../../execution/bench-env.ts'
import { accountsOf, HARNESS, harnessCall } from '../harness.ts'
import { BENCH_GAS, type BenchEngine, CALLER } from '../work.ts'

export function createSessionEngine(engine: EvmEngine, rules: BlockRules): BenchEngine {
  return {
    name: engine.name,
    async prepare(work, seed) {
      const view = createMemoryView(accountsOf(work, seed))
      return {
        async run(repetitions) {
          const data = harnessCall(work, repetitions)
          const session = engine.open(view, BENCH_ENV, rules)
          const began = performance.now()
          session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [HARNESS], accessList: [] })
          const { status, output } = session.call({ kind: 'call', from: CALLER, to: HARNESS, valueWei: 0n, data, gas: BENCH_GAS })
          const milliseconds = performance.now() - began
          session.abandonTx()
          return { milliseconds, output: status === 'success' ? output : EMPTY_BYTES }
        },
      }
    },
    close: async () => undefined,
  }
}
