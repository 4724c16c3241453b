/** Many seeds in processes beside each other, and a table. */
import { createSystemClock } from '@keelson/runtime'
import { planRun, type Scenario, timeOf } from '@keelson/simulator'
import type { SimulateOptions } from './options.ts'
import { outcomeToJson } from './print-run.ts'
import { replayCommand } from './replay-command.ts'
import { SeedTable } from './seed-table.ts'
import { runInWorkers } from './worker-pool.ts'

const MINUTE_MS = 60_000

export async function runSeeds({ seeds: [first, last], plan, workers, minutes, json }: SimulateOptions): Promise<number> {
  const clock = createSystemClock()
  const untilMs = clock.monotonicMs() + minutes * MINUTE_MS
  const table = new SeedTable()
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  let seed = first
  const next = (): Scenario | null => (seed > last || clock.monotonicMs() > untilMs ? null : planRun({ seed: seed++, ...plan }))
  await runInWorkers(workers, next, (scenario, outcome) => {
    table.add(scenario, outcome)
    if (json) return say(outcomeToJson(scenario, outcome))
    const { faults, violations, processorMs, simulatedMs } = outcome
    say(
      `seed ${scenario.seed}: ${timeOf(simulatedMs)} simulated in ${(processorMs / 1000).toFixed(0)} s, ` +
        `${faults.length} faults, ${violations.length} violations`,
    )
    for (const { atMs, rule, text } of violations) say(`  VIOLATION after ${timeOf(atMs)}: ${rule}: ${text}`)
    if (violations.length > 0) say(`  ${replayCommand(scenario.seed, plan)}`)
  })
  if (json) say(JSON.stringify(table.toJson()))
  else for (const line of table.lines((failed) => replayCommand(failed, plan))) say(line)
  return table.failed.length === 0 ? 0 : 1
}
