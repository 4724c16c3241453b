/** `npm run simulate`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { messageOf } from '@keelson/primitives'
import { createSystemRandom } from '@keelson/runtime'
import { planRun, readScenario, type Scenario, scenarioToJson, tellStory } from '@keelson/simulator'
import { prepare, runOnce } from './one-run.ts'
import { readOptions, type SimulateOptions } from './options.ts'
import { outcomeToJson, printHour, printOutcome, printScenario } from './print-run.ts'
import { runSeeds } from './run-seeds.ts'
import { show } from './show.ts'
import { shrink } from './shrink.ts'
import { USAGE } from './usage.ts'

const NEW_SEEDS = 1_000_000

function readSchedule(path: string): Scenario {
  try {
    return readScenario(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`--schedule: ${path} cannot be used: ${messageOf(error)}`)
  }
}

function writeSchedule(path: string, scenario: Scenario): void {
  try {
    writeFileSync(path, scenarioToJson(scenario))
  } catch (error) {
    throw new Error(`--save: ${path} cannot be written: ${messageOf(error)}`)
  }
}

async function runOne(options: SimulateOptions): Promise<number> {
  const { seed, plan, schedule, shrinkMinutes, json, log } = options
  const scenario = schedule === null ? planRun({ seed, ...plan }) : readSchedule(schedule)
  const say = (line: string) => {
    if (!json) process.stdout.write(`${line}\n`)
  }
  const keep = (smaller: Scenario) => {
    if (options.save !== null) writeSchedule(options.save, smaller)
  }
  // Before the run, so that a path that cannot be written ends the program here.
  keep(scenario)
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
  if (violation !== undefined && shrinkMinutes !== null) {
    const run = (smaller: Scenario) => runOnce(prepared, smaller)
    const smallest = await shrink(scenario, violation, { minutes: shrinkMinutes, keep, say, run })
    printScenario(smallest, say)
    for (const line of tellStory(smallest.faults)) say(line)
  }
  return violation === undefined ? 0 : 1
}

try {
  const options = readOptions(process.argv.slice(2), () => Math.floor(createSystemRandom().next() * NEW_SEEDS))
  if (options === null) process.stdout.write(`${USAGE}\n`)
  else process.exitCode = options.seeds === null ? await runOne(options) : await runSeeds(options.seeds, options)
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n--help lists the options.\n`)
  process.exitCode = 2
}
