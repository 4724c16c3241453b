import { l1ForkRules } from '@keelson/chainspec'
import { createMemoryView, type EvmEngine } from '@keelson/evm'
import { bigintToBytes } from '@keelson/primitives'
import { formatTable } from '../table.ts'
import { BENCH_ENV } from './bench-env.ts'
import { type PrecompileInput, precompileInputs } from './precompile-inputs.ts'

export interface PrecompileResult {
  readonly name: string
  readonly engine: string
  readonly gas: number
  readonly microseconds: number
  readonly msPerMegagas: number
}

const BLOCK_MEGAGAS = 30
const BUDGET_MS = 400
const WARM_UP_MS = 150
const MIN_CALLS = 2
const MAX_CALLS = 20_000
const PLENTY = 1_000_000_000n
const CALLER = new Uint8Array(20).fill(0xca)

/** Calls the precompiles whose name contains `grep`. */
export async function runPrecompileBench(
  engines: readonly EvmEngine[],
  grep: string,
  progress: (line: string) => void,
): Promise<readonly PrecompileResult[]> {
  const results: PrecompileResult[] = []
  for (const input of precompileInputs().filter(({ name }) => name.includes(grep))) {
    progress(input.name)
    for (const engine of engines) results.push(await measure(engine, input))
  }
  return results
}

async function measure(engine: EvmEngine, { name, address, data }: PrecompileInput): Promise<PrecompileResult> {
  const session = engine.open(createMemoryView([]), BENCH_ENV, l1ForkRules('osaka'))
  const call = async () => {
    session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [], accessList: [] })
    const result = await session.call({
      kind: 'call',
      from: CALLER,
      to: bigintToBytes(BigInt(address), 20),
      valueWei: 0n,
      data,
      gas: PLENTY,
    })
    session.endTx()
    if (result.status !== 'success') throw new Error(`${name}: ${result.error}`)
    return Number(PLENTY - result.gasLeft)
  }
  const gas = await call()
  await repeat(call, WARM_UP_MS)
  const before = process.cpuUsage()
  const calls = await repeat(call, BUDGET_MS)
  const { user, system } = process.cpuUsage(before)
  const ms = (user + system) / 1000 / calls
  return { name, engine: engine.name, gas, microseconds: ms * 1000, msPerMegagas: (ms * 1e6) / gas }
}

async function repeat(call: () => Promise<number>, budgetMs: number): Promise<number> {
  const began = performance.now()
  let calls = 0
  for (; calls < MIN_CALLS || (calls < MAX_CALLS && performance.now() - began < budgetMs); calls++) await call()
  return calls
}

export function precompileReport(results: readonly PrecompileResult[]): string {
  const rows = results.map(({ name, engine, gas, microseconds, msPerMegagas }) => [
    name,
    engine,
    String(gas),
    microseconds.toFixed(0),
    (1000 / msPerMegagas).toFixed(1),
    (BLOCK_MEGAGAS * msPerMegagas).toFixed(0),
  ])
  const head = ['call', 'engine', 'gas', 'µs', 'Mgas/s', `ms for ${BLOCK_MEGAGAS} Mgas`]
  return `\nPrecompiles, CPU time including the call through the engine\n${formatTable(head, rows)}`
}
