/** `eth_call` minus the time of the same request without repetitions. */
import { bytesToHex, EMPTY_BYTES, type Hex, hexToBytes } from '@keelson/primitives'
import { accountsOf, HARNESS, harnessCall } from '../harness.ts'
import { BENCH_GAS, type BenchEngine, CALLER } from '../work.ts'
import { startAnvil } from './anvil-process.ts'

const OVERHEAD_CALLS = 5
const LEAST_MS = 0.001

export async function createAnvilEngine(hardfork: string): Promise<BenchEngine> {
  const anvil = await startAnvil(hardfork)
  return {
    name: 'anvil',
    async prepare(work, seed) {
      const codes = accountsOf(work, seed).map(({ address, code }) => [bytesToHex(address), bytesToHex(code ?? EMPTY_BYTES)] as const)
      const overrides = work.repeats ? Object.fromEntries(codes.map(([address, code]) => [address, { code }])) : {}
      if (!work.repeats) for (const code of codes) await anvil.request('anvil_setCode', code)
      const call = async (repetitions: number) => {
        const data = bytesToHex(harnessCall(work, repetitions))
        const transaction = { from: bytesToHex(CALLER), to: bytesToHex(HARNESS), gas: `0x${BENCH_GAS.toString(16)}`, data }
        const began = performance.now()
        const output = (await anvil.request('eth_call', [transaction, 'latest', overrides])) as Hex
        return { milliseconds: performance.now() - began, output: hexToBytes(output) }
      }
      return {
        async run(repetitions) {
          const overhead = await overheadMs(call)
          const { milliseconds, output } = await call(repetitions)
          return { milliseconds: Math.max(milliseconds - overhead, LEAST_MS), output }
        },
      }
    },
    close: () => anvil.stop(),
  }
}

async function overheadMs(call: (repetitions: number) => Promise<{ readonly milliseconds: number }>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < OVERHEAD_CALLS; i++) times.push((await call(0)).milliseconds)
  return Math.min(...times)
}
