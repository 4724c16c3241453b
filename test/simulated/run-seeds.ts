/** Many seeds in processes beside each other, and a table. An interrupt ends the runs under way; the table has those before. */
import { createSystemClock } from '@keelson/runtime'
import { planRun, timeOf } from '@keelson/simulator'
import type { SimulateOptions } from './options.ts'
import { outcomeToJson, violationLine } from './print-run.ts'
import { replayCommand } from './replay-command.ts'
import { SeedTable } from './seed-table.ts'
import { runInWorkers, type Work } from './worker-pool.ts'

const MINUTE_MS = 60_000
/** The exit code of a program that SIGINT ended. */
const INTERRUPTED = 130

/** Returns the exit code. */
export async function runSeeds(
  [first, last]: readonly [number, number],
  { plan, workers, minutes, json }: Pick<SimulateOptions, 'plan' | 'workers' | 'minutes' | 'json'>,
): Promise<number> {
  const clock = createSystemClock()
  const untilMs = clock.monotonicMs() + minutes * MINUTE_MS
  const table = new SeedTable()
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const sayUnlessJson = (line: string) => {
    if (!json) say(line)
  }
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  sayUnlessJson(`seeds ${first} to ${last}, ${plan.days} days each; a line when one has ended`)
  let seed = first
  const work: Work = {
    next: () => (seed > last || clock.monotonicMs() > untilMs ? null : planRun({ seed: seed++, ...plan })),
    done(scenario, outcome) {
      table.add(scenario, outcome)
      if (json) say(outcomeToJson(scenario, outcome))
      const { faults, violations, processorMs, simulatedMs } = outcome
      sayUnlessJson(
        `seed ${scenario.seed}: ${timeOf(simulatedMs)} simulated in ${(processorMs / 1000).toFixed(0)} s, ` +
          `${faults.length} faults, ${violations.length} violations`,
      )
      for (const violation of violations) sayUnlessJson(`  ${violationLine(violation)}`)
      if (violations.length > 0) sayUnlessJson(`  ${replayCommand(scenario.seed, plan)}`)
    },
    lost(scenario, how) {
      table.lose(scenario)
      sayUnlessJson(`seed ${scenario.seed}: its process ended early, with ${how}`)
      sayUnlessJson(`  ${replayCommand(scenario.seed, plan)}`)
    },
  }
  await runInWorkers(workers, work, interrupted.signal)
  if (json) say(JSON.stringify(table.toJson()))
  else for (const line of table.lines((failed) => replayCommand(failed, plan))) say(line)
  const ended = table.toJson().seeds
  const reason = interrupted.signal.aborted ? 'the rest was interrupted' : '--minutes was over before the rest began'
  if (ended < last - first + 1) sayUnlessJson(`${ended} of ${last - first + 1} seeds ended; ${reason}`)
  if (interrupted.signal.aborted) return INTERRUPTED
  return table.failed.length === 0 ? 0 : 1
}
