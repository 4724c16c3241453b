/** Differences come back shrunk. */
import { Campaign, type CampaignEngine, type CampaignOptions, compareOn, type Difference } from './campaign.ts'
import { type CoverageCounts, emptyCounts } from './coverage.ts'
import type { EvmCase } from './evm-case.ts'
import { isFailure } from './outcome.ts'
import { printCase } from './print-case.ts'
import { shrink } from './shrink.ts'

export interface Finding {
  readonly seed: number
  readonly variant: number
  readonly engines: readonly [string, string]
  readonly lines: readonly string[]
  readonly text: string
  readonly subject: EvmCase
}

export interface BatchResult {
  readonly executions: Readonly<Record<string, number>>
  readonly coverage: CoverageCounts
  /** From hashes of the contracts. */
  readonly programs: readonly number[]
  readonly findings: readonly Finding[]
}

const MAX_TRIES = 3_000
const MAX_SHRINK_MS = 60_000

export async function findDifferences(
  options: CampaignOptions,
  seeds: readonly number[],
  onSet: (seed: number) => void,
): Promise<BatchResult> {
  const campaign = new Campaign(options)
  const findings: Finding[] = []
  for (const seed of seeds) {
    onSet(seed)
    const difference = await campaign.runSet(seed)
    if (difference !== null) findings.push(await shrunk(difference, options.engines))
  }
  return {
    executions: campaign.executions,
    coverage: seeds.length === 0 ? emptyCounts() : campaign.coverage.counts,
    programs: campaign.programs,
    findings,
  }
}

export async function shrunk(difference: Difference, engines: readonly CampaignEngine[]): Promise<Finding> {
  const [base, other] = difference.engines.map((name) => engines.find(({ runner }) => runner.name === name)?.runner)
  if (base === undefined || other === undefined) throw new Error(`no engines ${difference.engines.join(' and ')}`)
  const { traced } = difference
  // An engine may fail on a case that only shrinking makes.
  const failed = isFailure(difference.lines)
  const differs = async (subject: EvmCase) => {
    const lines = other.runs(subject) ? await compareOn(base, other, subject, traced) : null
    return lines !== null && isFailure(lines) === failed
  }
  const until = performance.now() + MAX_SHRINK_MS
  const subject = await shrink(difference.subject, async (smaller) => performance.now() < until && differs(smaller), MAX_TRIES)
  const steps = await compareOn(base, other, subject, [true, true])
  const lines = steps ?? (await compareOn(base, other, subject, traced)) ?? difference.lines
  return { seed: difference.seed, variant: difference.variant, engines: difference.engines, lines, text: printCase(subject), subject }
}
