import { l1ForkRules } from '@keelson/chainspec'
import type { Crypto } from '@keelson/primitives'
import { type BenchEngineName, openBenchEngine } from './engines/choose-engines.ts'
import { type EvmResult, runEvmBench } from './evm-bench.ts'
import { handWorks } from './hand-works.ts'
import { solidityWorks } from './solidity-works.ts'
import type { BenchEngine } from './work.ts'

export interface EvmRun {
  readonly names: readonly BenchEngineName[]
  readonly rounds: number
  readonly crypto: Crypto
  readonly progress: (line: string) => void
  /** Matches part of a name. */
  readonly work: string
}

export async function benchEvm({ names, rounds, crypto, progress, work }: EvmRun): Promise<readonly EvmResult[]> {
  const rules = l1ForkRules('prague')
  const works = [...handWorks(), ...solidityWorks()].filter(({ name }) => name.includes(work))
  const engines: BenchEngine[] = []
  try {
    for (const name of names) engines.push(await openBenchEngine(name, crypto, rules))
    return await runEvmBench({ engines, works, rounds, progress })
  } finally {
    for (const engine of engines) await engine.close()
  }
}
