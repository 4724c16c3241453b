/** `npm run simulate`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createSystemRandom } from '@keelson/runtime'
import { planRun, readScenario, scenarioToJson, tellStory } from '@keelson/simulator'
import { prepare, runOnce } from './one-run.ts'
import { readOptions, type SimulateOptions, USAGE } from './options.ts'
import { outcomeToJson, printHour, printOutcome, printScenario } from './print-run.ts'
import { runSeeds } from './run-seeds.ts'
import { show } from './show.ts'
import { shrink } from './shrink.ts'

const NEW_SEEDS = 1_000_000

async function runOne(options: SimulateOptions): Promise<number> {
  const { seeds, plan, schedule, shrinkMinutes, save, json, log } = options
  const scenario = schedule === null ? planRun({ seed: seeds[0], ...plan }) : readScenario(readFileSync(schedule, 'utf8'))
  const say = (line: string) => {
    if (!json) process.stdout.write(`${line}\n`)
  }
  const prepared = await prepare()
  printScenario(scenario, say)
  const showing = show(options, scenario, { terminal: process.stdout, say })
  const outcome = await runOnce(prepared, scenario, {
    log,
    ...(showing === null ? {} : { film: showing.film }),
    onHour: printHour(say),
  }).finally(() => showing?.end())
  if (json) process.stdout.write(`${outcomeToJson(scenario, outcome)}\n`)
  else printOutcome(outcome, say)
  const [violation] = outcome.violations
  let kept = scenario
  if (violation !== undefined && shrinkMinutes !== null) {
    kept = await shrink(scenario, violation, { minutes: shrinkMinutes, say, run: (smaller) => runOnce(prepared, smaller) })
    printScenario(kept, say)
    for (const line of tellStory(kept.faults)) say(line)
  }
  if (save !== null) writeFileSync(save, scenarioToJson(kept))
  return violation === undefined ? 0 : 1
}

try {
  const options = readOptions(process.argv.slice(2), () => Math.floor(createSystemRandom().next() * NEW_SEEDS))
  if (options === null) process.stdout.write(`${USAGE}\n`)
  else process.exitCode = options.seeds[0] === options.seeds[1] ? await runOne(options) : await runSeeds(options)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
