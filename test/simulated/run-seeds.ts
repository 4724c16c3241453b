/** Many seeds in processes beside each other, and a table. An interrupt ends the runs under way; the table has those before. */
import { createSystemClock } from '@keelson/runtime'
import { planRun, type Scenario, timeOf } from '@keelson/simulator'
import type { SimulateOptions } from './options.ts'
import { outcomeToJson } from './print-run.ts'
import { replayCommand } from './replay-command.ts'
import { SeedTable } from './seed-table.ts'
import { runInWorkers, type WorkerOutcome } from './worker-pool.ts'

/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130
const MINUTE_MS = 60_000

/** Returns the exit code. */
export async function runSeeds({ seeds: [first, last], plan, workers, minutes, json }: SimulateOptions): Promise<number> {
  const clock = createSystemClock()
  const untilMs = clock.monotonicMs() + minutes * MINUTE_MS
  const table = new SeedTable()
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  let seed = first
  const next = (): Scenario | null => (seed > last || clock.monotonicMs() > untilMs ? null : planRun({ seed: seed++, ...plan }))
  const done = (scenario: Scenario, outcome: WorkerOutcome) => {
    table.add(scenario, outcome)
    if (json) return say(outcomeToJson(scenario, outcome))
    const { faults, violations, processorMs, simulatedMs } = outcome
    say(
      `seed ${scenario.seed}: ${timeOf(simulatedMs)} simulated in ${(processorMs / 1000).toFixed(0)} s, ` +
        `${faults.length} faults, ${violations.length} violations`,
    )
    for (const { atMs, rule, text } of violations) say(`  VIOLATION after ${timeOf(atMs)}: ${rule}: ${text}`)
    if (violations.length > 0) say(`  ${replayCommand(scenario.seed, plan)}`)
  }
  await runInWorkers(workers, next, done, interrupted.signal)
  if (json) say(JSON.stringify(table.toJson()))
  else for (const line of table.lines((failed) => replayCommand(failed, plan))) say(line)
  if (interrupted.signal.aborted) return INTERRUPTED
  return table.failed.length === 0 ? 0 : 1
}
