/** What many runs add up to. */
import type { Scenario } from '@keelson/simulator'
import type { WorkerOutcome } from './worker-pool.ts'

const YEAR_MS = 365.25 * 86_400_000
const DAY_MS = 86_400_000
const NAME_WIDTH = 60

export class SeedTable {
  readonly failed: number[] = []
  #seeds = 0
  #simulatedMs = 0
  #processorMs = 0
  #events = 0
  #blocks = 0
  #transactions = 0
  #peakRssBytes = 0
  readonly #faults = new Map<string, number>()
  readonly #violations = new Map<string, number>()

  add({ seed }: Pick<Scenario, 'seed'>, outcome: WorkerOutcome): void {
    this.#seeds++
    this.#simulatedMs += outcome.simulatedMs
    this.#processorMs += outcome.processorMs
    this.#events += outcome.events
    this.#blocks += outcome.blocks
    this.#transactions += outcome.transactions
    this.#peakRssBytes = Math.max(this.#peakRssBytes, outcome.peakRssBytes)
    for (const { kind } of outcome.faults) count(this.#faults, kind)
    for (const rule of new Set(outcome.violations.map((violation) => violation.rule))) count(this.#violations, rule)
    if (outcome.violations.length > 0) this.failed.push(seed)
  }

  /** Counts a run whose process ended before it gave an outcome. */
  lose({ seed }: Pick<Scenario, 'seed'>): void {
    this.#seeds++
    count(this.#violations, 'a run comes to its end')
    this.failed.push(seed)
  }

  /** `violations` counts seeds. */
  toJson() {
    return {
      seeds: this.#seeds,
      simulatedDays: round(this.#simulatedMs / DAY_MS, 3),
      simulatedYears: round(this.#simulatedMs / YEAR_MS, 4),
      speedup: round(this.#simulatedMs / this.#processorMs, 1),
      events: this.#events,
      blocks: this.#blocks,
      transactions: this.#transactions,
      peakRssMiB: Math.round(this.#peakRssBytes / 2 ** 20),
      faults: sorted(this.#faults),
      violations: sorted(this.#violations),
      failed: this.failed.toSorted((a, b) => a - b),
    }
  }

  lines(replay: (seed: number) => string): readonly string[] {
    const { faults, violations, failed, ...totals } = this.toJson()
    const rows = (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts).map(([name, value]) => `  ${name.padEnd(NAME_WIDTH)}${value}`)
    return [
      '',
      ...rows(totals),
      'faults injected',
      ...(Object.keys(faults).length === 0 ? ['  none'] : rows(faults)),
      'seeds that broke a rule',
      ...(failed.length === 0 ? ['  none'] : rows(violations)),
      ...failed.map((seed) => `  ${replay(seed)}`),
    ]
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function sorted(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
