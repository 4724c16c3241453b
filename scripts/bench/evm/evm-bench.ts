/** Engines alternate, so that noise affects all; outputs and gas must be equal. */
import { setTimeout } from 'node:timers/promises'
import { bytesToHex } from '@keelson/primitives'
import { median } from '../measure.ts'
import { readHarness } from './harness.ts'
import type { BenchEngine, PreparedWork, RunResult, Work } from './work.ts'

export interface EvmResult {
  readonly work: string
  readonly engine: string
  readonly unit: Work['unit']
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface EvmBenchOptions {
  readonly engines: readonly BenchEngine[]
  readonly works: readonly Work[]
  readonly rounds: number
  readonly progress: (line: string) => void
}

const TARGET_MS = 120
/** Shorter runs get more repetitions. */
const ENOUGH_MS = 60
const MAX_REPETITIONS = 2_048
const WARM_UP_RUNS = 3
/** Enough for JavaScript engines to optimise the code that loads contracts. */
const WARM_UP_SEEDS = 6
const SEEDS_PER_ROUND = 3
/** Time for a compiler in another thread. */
const COMPILE_MS = 500

type Run = (repetitions: number) => Promise<{ readonly milliseconds: number; readonly gas: number }>

export async function runEvmBench({ engines, works, rounds, progress }: EvmBenchOptions): Promise<readonly EvmResult[]> {
  const results: EvmResult[] = []
  for (const work of works) {
    progress(work.name)
    results.push(...(await (work.repeats ? compareRepeated(work, engines, rounds) : compareFirst(work, engines, rounds))))
  }
  return results
}

async function compareRepeated(work: Work, engines: readonly BenchEngine[], rounds: number): Promise<readonly EvmResult[]> {
  const agreed = new Agreement(work)
  const entries: { engine: BenchEngine; prepared: PreparedWork; repetitions: number; figures: number[]; run: Run }[] = []
  for (const engine of engines) {
    const prepared = await engine.prepare(work, 0)
    const run: Run = async (repetitions) => agreed.on(await prepared.run(repetitions), engine.name, repetitions)
    await calibrate(run)
    entries.push({ engine, prepared, repetitions: 0, figures: [], run })
  }
  await setTimeout(COMPILE_MS)
  for (const entry of entries) entry.repetitions = await calibrate(entry.run)
  for (let round = 0; round < rounds; round++) {
    for (const { engine, prepared, repetitions, figures } of entries) {
      const { milliseconds, gas } = agreed.on(await prepared.run(repetitions), engine.name, repetitions)
      figures.push(gas / 1_000 / milliseconds)
    }
  }
  return entries.map(({ engine, figures }) => summary(work, engine, figures))
}

async function calibrate(run: Run): Promise<number> {
  let repetitions = 1
  for (;;) {
    const { milliseconds } = await run(repetitions)
    if (milliseconds >= ENOUGH_MS || repetitions >= MAX_REPETITIONS) break
    const factor = 2 ** Math.ceil(Math.log2(TARGET_MS / Math.max(milliseconds, TARGET_MS / 8)))
    repetitions = Math.min(MAX_REPETITIONS, repetitions * Math.max(2, factor))
  }
  if (repetitions > 1) for (let i = 0; i < WARM_UP_RUNS; i++) await run(repetitions)
  return repetitions
}

/** Each run calls new contracts on an engine that has called others. */
async function compareFirst(work: Work, engines: readonly BenchEngine[], rounds: number): Promise<readonly EvmResult[]> {
  const figures = engines.map((): number[] => [])
  for (let seed = 0; seed < WARM_UP_SEEDS + SEEDS_PER_ROUND * rounds; seed++) {
    const agreed = new Agreement(work)
    for (const [i, engine] of engines.entries()) {
      const prepared = await engine.prepare(work, seed)
      const { milliseconds } = agreed.on(await prepared.run(1), engine.name, 1)
      if (seed >= WARM_UP_SEEDS) figures[i]?.push((milliseconds * 1_000) / work.calls)
    }
  }
  return engines.map((engine, i) => summary(work, engine, figures[i] ?? []))
}

function summary(work: Work, engine: BenchEngine, figures: readonly number[]): EvmResult {
  const { name, unit } = work
  return { work: name, engine: engine.name, unit, median: median(figures), min: Math.min(...figures), max: Math.max(...figures) }
}

/** Throws when outputs or gas differ. */
class Agreement {
  readonly #work: Work
  readonly #outputs = new Map<number, { readonly output: string; readonly engine: string }>()

  constructor(work: Work) {
    this.#work = work
  }

  on({ milliseconds, output }: RunResult, engine: string, repetitions: number): { readonly milliseconds: number; readonly gas: number } {
    const { gas, succeeded } = readHarness(output)
    if (!succeeded) throw new Error(`${this.#work.name} on ${engine}: the call failed`)
    const hex = bytesToHex(output)
    const first = this.#outputs.get(repetitions)
    if (first === undefined) this.#outputs.set(repetitions, { output: hex, engine })
    else if (first.output !== hex) {
      throw new Error(`${this.#work.name}, ${repetitions} times: ${first.engine} gives ${first.output}, ${engine} gives ${hex}`)
    }
    return { milliseconds, gas }
  }
}
