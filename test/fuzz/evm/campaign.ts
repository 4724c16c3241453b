import { bytesToBigint, keccak256 } from '@keelson/primitives'
import { Coverage } from './coverage.ts'
import type { CaseRunner } from './engines/case-runner.ts'
import { codeBytes, type EvmCase } from './evm-case.ts'
import { generateProgramSet, generateTransactions } from './generate/case.ts'
import { compareOutcomes, feeVaults, type Outcome } from './outcome.ts'
import { Random } from './random.ts'

export interface CampaignEngine {
  readonly runner: CaseRunner
  /** Percent of the program sets. */
  readonly share: number
}

/** Whether the first and the second engine were traced. */
export type Traced = readonly [boolean, boolean]

export interface Difference {
  readonly seed: number
  readonly variant: number
  readonly engines: readonly [string, string]
  readonly traced: Traced
  readonly subject: EvmCase
  readonly lines: readonly string[]
}

export interface CampaignOptions {
  readonly engines: readonly CampaignEngine[]
  readonly chains: readonly string[]
  readonly variants: number
  /** Traces one in `traceEvery` program sets, and those of slow engines. */
  readonly traceEvery: number
}

/** An error differs from every other answer. */
async function attempt(runner: CaseRunner, subject: EvmCase, trace: boolean): Promise<Outcome> {
  try {
    return await runner.run(subject, { trace })
  } catch (error) {
    return { transactions: [], state: new Map(), failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Null when both agree. */
export async function compareOn(base: CaseRunner, other: CaseRunner, subject: EvmCase, traced: Traced): Promise<string[] | null> {
  const got = await attempt(other, subject, traced[1])
  const asked = await attempt(base, got.env === undefined ? subject : { ...subject, env: got.env }, traced[0])
  return compareOutcomes(asked, got, feeVaults(subject.chain))
}

/** Slow engines run only this many blocks of a set. */
const SLOW_VARIANTS = 4
/** The second block, when the gas use of the first is known. */
const TRACED_VARIANT = 1
const MAX_TRACED_GAS = 600_000

const ALL = 100

/** A traced engine may execute otherwise than without a tracer, so it runs in both ways. */
function waysToTrace(runner: CaseRunner, base: CaseRunner, trace: boolean): readonly Traced[] {
  if (!trace || runner.takesTracer !== true) return [[trace, trace]]
  return runner === base
    ? [[true, false]]
    : [
        [true, true],
        [true, false],
      ]
}

const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0)

export class Campaign {
  readonly coverage = new Coverage()
  readonly executions: Record<string, number> = {}
  readonly programs: number[] = []
  readonly #options: CampaignOptions

  constructor(options: CampaignOptions) {
    this.#options = options
  }

  /** Compares the others with the first engine. */
  async runSet(seed: number): Promise<Difference | null> {
    const { engines, chains, variants, traceEvery } = this.#options
    const [base, ...others] = engines
    if (base === undefined) throw new Error('a campaign needs an engine')
    const set = generateProgramSet(seed, chains)
    for (const { code } of set.accounts) if (typeof code !== 'string') this.programs.push(shortHash(codeBytes(code)))
    const dice = new Random(seed, 0)
    const taking = others.filter(({ share }) => dice.chance(share))
    const traced = dice.below(traceEvery) === 0 || taking.some(({ runner }) => runner.takesTracer !== true)
    let spent: readonly number[] = []
    for (let variant = 0; variant < variants; variant++) {
      const subject: EvmCase = { ...set, transactions: generateTransactions(set, seed, variant, spent) }
      const trace = traced && variant === TRACED_VARIANT && sum(spent) < MAX_TRACED_GAS
      const expected = await this.#run(base.runner, subject, trace)
      if (variant === 0) spent = expected.transactions.map(({ gasUsed }) => Number(gasUsed))
      this.coverage.take(subject, expected)
      if (trace && base.runner.takesTracer === true) await base.runner.run(subject, { tracer: this.coverage.tracer })
      const judged = taking.filter(({ runner, share }) => (share === ALL || variant < SLOW_VARIANTS) && runner.runs(subject))
      for (const { runner } of trace ? [base, ...judged] : judged) {
        for (const way of waysToTrace(runner, base.runner, trace)) {
          const got = await this.#run(runner, subject, way[1])
          const asked = got.env === undefined ? expected : await this.#run(base.runner, { ...subject, env: got.env }, way[0])
          const lines = compareOutcomes(asked, got, feeVaults(subject.chain))
          if (lines !== null) return { seed, variant, engines: [base.runner.name, runner.name], traced: way, subject, lines }
        }
      }
    }
    return null
  }

  async #run(runner: CaseRunner, subject: EvmCase, trace: boolean): Promise<Outcome> {
    this.executions[runner.name] = (this.executions[runner.name] ?? 0) + subject.transactions.length
    return attempt(runner, subject, trace)
  }
}

function shortHash(bytes: Uint8Array): number {
  return Number(bytesToBigint(keccak256(bytes).subarray(0, 6)))
}
