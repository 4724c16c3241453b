/** Measures CPU time per gas for each kind of work. */
import { l1ForkRules } from '@keelson/chainspec'
import { createMemoryView, createReferenceEngine } from '@keelson/evm'
import type { Crypto } from '@keelson/primitives'
import { createPairingCurves } from '../../../packages/node/src/crypto/pairing-curves.ts'
import { formatTable } from '../table.ts'
import { type AttackShape, attackShapes } from './attack-shapes.ts'
import { BENCH_ENV } from './bench-env.ts'

export interface AttackResult {
  readonly name: string
  readonly cpuMs: number
  readonly gas: number
}

const MEASURED_GAS = 3_000_000n
const BLOCK_MEGAGAS = 30
const CALLER = new Uint8Array(20).fill(0xca)
const ATTACKER = new Uint8Array(20).fill(0xac)
const WARM_UP_GAS = 500_000n

export async function runAttackBench(crypto: Crypto, progress: (line: string) => void): Promise<readonly AttackResult[]> {
  const engine = createReferenceEngine({ crypto, curves: await createPairingCurves() })
  const rules = l1ForkRules('prague')
  const run = async ({ code, accounts = [] }: AttackShape, gas: bigint): Promise<number> => {
    const session = engine.open(createMemoryView([{ address: ATTACKER, code }, ...accounts]), BENCH_ENV, rules)
    session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [ATTACKER], accessList: [] })
    const { gasLeft } = await session.call({ kind: 'call', from: CALLER, to: ATTACKER, valueWei: 0n, data: new Uint8Array(0), gas })
    session.endTx()
    session.takeDiff()
    return Number(gas - gasLeft)
  }
  const results: AttackResult[] = []
  for (const shape of attackShapes()) {
    progress(shape.name)
    await run(shape, WARM_UP_GAS)
    const before = process.cpuUsage()
    const gas = await run(shape, MEASURED_GAS)
    const { user, system } = process.cpuUsage(before)
    results.push({ name: shape.name, cpuMs: (user + system) / 1000, gas })
  }
  return results
}

export function attackReport(results: readonly AttackResult[]): string {
  const rows = results.map(({ name, cpuMs, gas }) => {
    const msPerMegagas = cpuMs / (gas / 1e6)
    return [name, msPerMegagas.toFixed(1), (msPerMegagas * BLOCK_MEGAGAS).toFixed(0)]
  })
  return `\nOne kind of work in a loop, CPU time\n${formatTable(['work', 'ms/Mgas', 'ms for 30 Mgas'], rows)}`
}
