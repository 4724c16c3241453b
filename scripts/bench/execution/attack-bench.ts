/** CPU time of a block of one kind of work. Status and gas must be equal on all engines. */
import { l1ForkRules } from '@keelson/chainspec'
import type { EvmEngine } from '@keelson/evm'
import { EMPTY_BYTES } from '@keelson/primitives'
import { formatTable } from '../table.ts'
import type { AttackShape } from './attack-program.ts'
import { attackShapes } from './attack-shapes.ts'
import { BENCH_ENV } from './bench-env.ts'
import { createSyntheticView } from './synthetic-view.ts'

export interface AttackResult {
  readonly name: string
  readonly engine: string
  readonly cpuMs: number
  readonly wallMs: number
  readonly gas: number
}

const MEASURED_GAS = 30_000_000n
const CALLER = new Uint8Array(20).fill(0xca)
const ATTACKER = new Uint8Array(20).fill(0xac)
const WARM_UP_GAS = 500_000n

export async function runAttackBench(
  engines: readonly EvmEngine[],
  grep: string,
  progress: (line: string) => void,
): Promise<readonly AttackResult[]> {
  const results: AttackResult[] = []
  for (const shape of attackShapes().filter(({ name }) => name.includes(grep))) {
    progress(shape.name)
    let first: string | null = null
    for (const engine of engines) {
      await run(engine, shape, WARM_UP_GAS)
      const cpu = process.cpuUsage()
      const began = performance.now()
      const { gas, answer } = await run(engine, shape, MEASURED_GAS)
      const wallMs = performance.now() - began
      const { user, system } = process.cpuUsage(cpu)
      results.push({ name: shape.name, engine: engine.name, cpuMs: (user + system) / 1000, wallMs, gas })
      first ??= answer
      if (answer !== first) throw new Error(`${shape.name}: ${engines[0]?.name} gives ${first}, ${engine.name} gives ${answer}`)
    }
  }
  return results
}

async function run(
  engine: EvmEngine,
  { code, data = EMPTY_BYTES, accounts = [], rules = l1ForkRules('osaka') }: AttackShape,
  gas: bigint,
): Promise<{ gas: number; answer: string }> {
  const view = createSyntheticView([{ address: ATTACKER, code }, ...accounts])
  const session = engine.open(view, BENCH_ENV, rules)
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ATTACKER], accessList: [] })
  const { status, gasLeft } = session.call({ kind: 'call', from: CALLER, to: ATTACKER, valueWei: 0n, data, gas })
  session.endTx()
  session.takeDiff()
  return { gas: Number(gas - gasLeft), answer: `${status} with ${gasLeft} gas left` }
}

export function attackReport(results: readonly AttackResult[]): string {
  const engines = [...new Set(results.map(({ engine }) => engine))]
  const names = [...new Set(results.map(({ name }) => name))]
  const rows = names.map((name) => [
    name,
    ...engines.map((engine) => {
      const result = results.find((other) => other.name === name && other.engine === engine)
      return result === undefined ? '-' : `${result.cpuMs.toFixed(0)} (${result.wallMs.toFixed(0)})`
    }),
  ])
  const title = `One kind of work for ${MEASURED_GAS / 1_000_000n} million gas, milliseconds of CPU time (elapsed time)`
  return `\n${title}\n${formatTable(['work', ...engines], rows)}`
}
