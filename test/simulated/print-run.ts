import { DAY_MS, type RunOptions, type Scenario, tellStory, timeOf, type Violation } from '@keelson/simulator'
import { type Outcome, START_MS } from './one-run.ts'

export type Say = (line: string) => void

export function printHour(say: Say): NonNullable<RunOptions['onHour']> {
  return (world, { violations }) => {
    const heads = world.sequencer?.running?.consensus.driver.heads
    const at = heads == null ? 'no heads' : `unsafe ${heads.unsafe.number}, safe ${heads.safe.number}, final ${heads.finalized.number}`
    say(`${timeOf(world.simulation.nowMs - START_MS)}  ${at}, L1 ${world.l1.head.header.number}, ${violations.length} violations`)
  }
}

export function printScenario(scenario: Scenario, say: Say): void {
  const { about, seed, days, sequencers = 1, validators, transactionsPerSec, upgrades = [], faults } = scenario
  if (about !== undefined) say(about)
  const network = `sequencers ${sequencers}, validators ${validators}, transactions a second ${transactionsPerSec}`
  say(`seed ${seed}, days ${days}, ${network}, planned faults ${faults.length}`)
  for (const { fork, atSec } of upgrades) say(`${timeOf(atSec * 1_000)}  fork ${fork} activates`)
}

export function printOutcome(outcome: Outcome, say: Say): void {
  const { blocks, transactions, proposals, faults, events, simulatedMs, realMs, processorMs, traceHash, violations } = outcome
  for (const line of tellStory(faults)) say(line)
  say(`blocks ${blocks}, transactions ${transactions} accepted, proposals ${proposals}, faults ${faults.length}, events ${events}`)
  say(
    `simulated ${(simulatedMs / DAY_MS).toFixed(3)} days in ${(realMs / 1000).toFixed(1)} s, ` +
      `${(processorMs / 1000).toFixed(1)} s of processor time: ${speedupOf(outcome)} times real time`,
  )
  say(`trace ${traceHash}`)
  for (const violation of violations) say(violationLine(violation))
  if (violations.length === 0) say('no rule was broken')
}

export function outcomeToJson({ seed, days }: Scenario, outcome: Outcome): string {
  const { traceHash, events, violations } = outcome
  return JSON.stringify({ seed, days, traceHash, speedup: speedupOf(outcome), events, violations })
}

/** Simulated time by processor time. */
function speedupOf({ simulatedMs, processorMs }: Outcome): number {
  return Math.round((simulatedMs / processorMs) * 10) / 10
}

export function violationLine({ atMs, rule, text }: Violation): string {
  return `VIOLATION after ${timeOf(atMs)}: ${rule}: ${text}`
}
