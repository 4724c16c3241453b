import { createSeed } from './core/seed.ts'
import { machinesOf } from './faults/machines.ts'
import { planFaults } from './faults/plan-faults.ts'
import type { Scenario } from './scenario.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export interface RunPlan extends Omit<Scenario, 'faults'> {
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly kinds: readonly string[] | 'swarm'
  /** Multiplies how often faults happen. */
  readonly rate: number
}

/** The faults are over a recovery before the end, but not before half of the run. */
export function planRun({ kinds, rate, ...rest }: RunPlan): Scenario {
  const lengthMs = rest.days * DAY_MS
  const machines = machinesOf(rest.validators, rest.sequencers, rest.staking)
  const untilMs = lengthMs - Math.min(rest.recoveryMinutes * MINUTE_MS, lengthMs / 2)
  return {
    ...rest,
    faults: planFaults(createSeed(rest.seed), { kinds, rate, untilMs, machines }),
  }
}
