/** Looks for a smaller schedule that breaks the same rule, until none of its steps succeeds or the time is over. */
import { createSystemClock } from '@keelson/runtime'
import { DAY_MS, faultKind, machinesOf, type Scenario, type Violation } from '@keelson/simulator'
import type { Outcome } from './one-run.ts'

export interface ShrinkTools {
  readonly minutes: number
  /** Gets each schedule that breaks the rule, so that an interrupt loses no progress. */
  keep(scenario: Scenario): void
  say(line: string): void
  run(scenario: Scenario): Promise<Pick<Outcome, 'violations'>>
}

const MINUTE_MS = 60_000
const FEWEST_DAYS = 0.001

export async function shrink(scenario: Scenario, violation: Violation, { minutes, keep, say, run }: ShrinkTools): Promise<Scenario> {
  const clock = createSystemClock()
  const untilMs = clock.monotonicMs() + minutes * MINUTE_MS
  let best = scenario
  let atMs = violation.atMs
  const accept = async (smaller: Scenario): Promise<boolean> => {
    if (clock.monotonicMs() > untilMs) return false
    const again = (await run(smaller)).violations.find(({ rule }) => rule === violation.rule)
    if (again === undefined) return false
    best = smaller
    atMs = again.atMs
    keep(smaller)
    say(`smaller: planned faults ${smaller.faults.length}, validators ${smaller.validators}, days ${smaller.days.toFixed(4)}`)
    return true
  }
  await accept(withoutTail(best, atMs))
  await withFewerFaults()
  for (let validators = 0; validators < best.validators; validators++) if (await accept(withNodes(best, validators))) break
  if (best.transactionsPerSec > 0) await accept({ ...best, transactionsPerSec: 0 })
  await accept(withoutTail(best, atMs))
  const over = clock.monotonicMs() > untilMs
  say(over ? `stopped after ${minutes} minutes; more may find a smaller schedule` : 'no step makes the schedule smaller any more')
  return best

  /** Removes halves, quarters and so on down to single faults. */
  async function withFewerFaults(): Promise<void> {
    for (let size = Math.ceil(best.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < best.faults.length; ) {
        const faults = best.faults.filter((_, i) => i < from || i >= from + size)
        if (!(await accept({ ...best, faults }))) from += size
      }
    }
  }
}

/** Ends the run soon after the violation. */
function withoutTail(scenario: Scenario, atMs: number): Scenario {
  const days = Math.max(FEWEST_DAYS, Math.min(scenario.days, (atMs + MINUTE_MS) / DAY_MS))
  return { ...scenario, days, faults: scenario.faults.filter((fault) => fault.atMs < atMs) }
}

/** Leaves out the faults that the smaller network cannot have, which a schedule in a file may not have either. */
function withNodes(scenario: Scenario, validators: number): Scenario {
  const machines = machinesOf(validators, scenario.sequencers, scenario.staking)
  const faults = scenario.faults.flatMap((fault) => {
    const { from } = fault.parameters
    if (faultKind(fault.kind)?.victims(machines).includes(fault.victim) !== true) return []
    const others = (names: readonly string[]) => names.filter((name) => machines.all.includes(name))
    return Array.isArray(from) ? [{ ...fault, parameters: { ...fault.parameters, from: others(from) } }] : [fault]
  })
  return { ...scenario, validators, faults }
}
