/** Ratios are taken within a round, so that other load affects all engines equally. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createWasmEngine } from '@keelson/evm'
import type { BuiltPayload, Crypto } from '@keelson/primitives'
import { createBenchAccounts } from '../accounts.ts'
import type { Profiler } from '../cpu-profile.ts'
import { median, percentile } from '../measure.ts'
import { type BenchChain, createBenchChain } from './bench-chain.ts'
import { type BenchState, openBenchState } from './bench-state.ts'
import { openBlockMaker } from './block-maker.ts'
import { openEthereumjsVm } from './ethereumjs-vm.ts'
import { IMPORT_STEPS, type ImportTimes } from './import-times.ts'
import { openKeelsonImport } from './keelson-import.ts'
import { BENCH_CHAIN_ID, createTransactionSource, planRounds, WARM_UP_ROUNDS, WORKLOADS, type Workload } from './workloads.ts'

export interface ExecutionBenchOptions {
  readonly accounts: number
  readonly rounds: number
  readonly compared: number
  readonly stateFolder: string
  readonly directory: string
  readonly crypto: Crypto
  readonly profiler: Profiler
  readonly progress: (line: string) => void
}

export interface ExecutionResult {
  readonly workload: string
  readonly engine: string
  readonly transactions: number
  readonly gasUsed: number
  readonly times: ImportTimes
  readonly flattenMs: number | null
  readonly transactionsPerSec: number
  readonly megagasPerSec: number
  /** Median of this engine's time divided by ours. */
  readonly timesKeelson: number
  readonly p99Ms: number
  /** Median processor time of all threads, which other load hardly changes. */
  readonly cpuMs: number
  readonly totalsMs: readonly number[]
}

interface Engine {
  readonly name: string
  readonly ours: boolean
  readonly blocks: readonly (readonly BuiltPayload[])[]
  importBlock(built: BuiltPayload): Promise<ImportTimes>
  flatten?(built: BuiltPayload): Promise<number>
  close(): Promise<void>
}

interface Measured {
  readonly times: ImportTimes[]
  readonly cpuMs: number[]
  readonly flattensMs: number[]
}

/** Runs of any length share a state. */
export function benchSenders(accounts: number): number {
  return Math.min(MOST_SENDERS, accounts >> 1)
}

const MOST_SENDERS = 200_000
const SEED_BYTES = 80

export async function runExecutionBench(options: ExecutionBenchOptions): Promise<readonly ExecutionResult[]> {
  const { crypto, progress, profiler } = options
  const plan = planRounds(options.rounds)
  progress(`state of ${options.accounts} accounts, each with a token balance`)
  const accounts = createBenchAccounts(options.accounts, benchSenders(options.accounts), crypto)
  const state = await openBenchState(options.stateFolder, accounts, progress)
  progress('transactions')
  const source = createTransactionSource(accounts, crypto)
  const transactions = plan.map((round) => round.map((planned) => source.next(planned)))
  const engines = await openEngines(options, state, transactions)
  const measured = new Map<string, Measured>()
  for (const [round, planned] of plan.entries()) {
    const counts = round >= WARM_UP_ROUNDS
    progress(counts ? `round ${round - WARM_UP_ROUNDS + 1} of ${options.rounds}` : 'warm-up round')
    for (const [i, { workload }] of planned.entries()) {
      for (const engine of engines) {
        const built = engine.blocks[round]?.[i]
        if (built === undefined) continue
        const run = () => engine.importBlock(built)
        const cpuBefore = process.cpuUsage()
        const times = engine.ours && counts ? await profiler.during(`${engine.name}, ${workload.name}`, run) : await run()
        const { user, system } = process.cpuUsage(cpuBefore)
        const flattenMs = await engine.flatten?.(built)
        if (!counts) continue
        const kept = resultsOf(measured, workload, engine)
        kept.times.push(times)
        kept.cpuMs.push((user + system) / 1000)
        if (flattenMs !== undefined) kept.flattensMs.push(flattenMs)
      }
    }
  }
  for (const engine of engines) await engine.close()
  return WORKLOADS.flatMap((workload, i) => engines.map((engine) => summarise(workload, i, engine, engines, measured)))
}

async function openEngines(
  { directory, crypto, progress, compared }: ExecutionBenchOptions,
  state: BenchState,
  transactions: readonly (readonly (readonly Uint8Array[])[])[],
): Promise<readonly Engine[]> {
  const folder = (name: string) => join(directory, name)
  const chainOf = (kind: 'rollup' | 'l1') => createBenchChain(kind, BENCH_CHAIN_ID, state.genesis)
  const ours = async (chain: BenchChain, name: string, rounds: typeof transactions): Promise<Engine> => {
    progress(`blocks under ${chain.name}`)
    for (const copy of [name, `${name}-maker`]) state.copy('keelson', folder(copy))
    const maker = await openBlockMaker(folder(`${name}-maker`), chain, crypto)
    const blocks: BuiltPayload[][] = []
    for (const round of rounds) {
      const made: BuiltPayload[] = []
      for (const block of round) made.push(await maker.make(block))
      blocks.push(made)
    }
    await maker.close()
    rmSync(folder(`${name}-maker`), { recursive: true })
    // Another engine makes the blocks, so that roots are compared.
    const evm = createWasmEngine({ crypto, hashSeed: randomBytes(SEED_BYTES) })
    const opened = await openKeelsonImport(folder(name), chain, crypto, evm)
    return { name: `Keelson ${evm.name}, ${chain.name}`, ours: true, blocks, ...opened }
  }
  const rollup = await ours(chainOf('rollup'), 'rollup', transactions)
  if (compared === 0) return [rollup]
  const l1 = await ours(chainOf('l1'), 'l1', transactions.slice(0, WARM_UP_ROUNDS + compared))
  const theirs = async (kind: 'tuned' | 'stock', name: string): Promise<Engine> => {
    state.copy('ethereumjs', folder(kind))
    const vm = await openEthereumjsVm({
      directory: folder(kind),
      chainId: BENCH_CHAIN_ID,
      stateRoot: state.genesis.stateRoot,
      crypto: kind,
    })
    return { name, ours: false, blocks: l1.blocks, ...vm }
  }
  return [rollup, l1, await theirs('tuned', '@ethereumjs/vm, native crypto, caches'), await theirs('stock', '@ethereumjs/vm, as it comes')]
}

function summarise(
  workload: Workload,
  index: number,
  engine: Engine,
  engines: readonly Engine[],
  measured: Map<string, Measured>,
): ExecutionResult {
  const { times, cpuMs, flattensMs } = resultsOf(measured, workload, engine)
  const reference = resultsOf(measured, workload, engines.find(({ ours, blocks }) => ours && blocks === engine.blocks) as Engine).times
  const gasUsed = Number(engine.blocks.at(-1)?.[index]?.payload.gasUsed)
  const steps = Object.fromEntries(IMPORT_STEPS.map((step) => [step, median(times.map((one) => one[step]))])) as unknown as ImportTimes
  return {
    workload: workload.name,
    engine: engine.name,
    transactions: workload.transactions,
    gasUsed,
    times: steps,
    flattenMs: flattensMs.length === 0 ? null : median(flattensMs),
    transactionsPerSec: (workload.transactions / steps.totalMs) * 1000,
    megagasPerSec: gasUsed / 1000 / steps.totalMs,
    timesKeelson: median(times.map(({ totalMs }, round) => totalMs / (reference[round]?.totalMs ?? Number.NaN))),
    cpuMs: median(cpuMs),
    p99Ms: percentile(
      times.map(({ totalMs }) => totalMs),
      0.99,
    ),
    totalsMs: times.map(({ totalMs }) => totalMs),
  }
}

function resultsOf(measured: Map<string, Measured>, workload: Workload, engine: Engine): Measured {
  const key = `${workload.name}/${engine.name}`
  const results = measured.get(key) ?? { times: [], cpuMs: [], flattensMs: [] }
  measured.set(key, results)
  return results
}
