import { createSeed } from './core/seed.ts'
import { machinesOf } from './faults/machines.ts'
import { planFaults } from './faults/plan-faults.ts'
import { RECOVERY_MS } from './judges/liveness-judge.ts'
import type { Scenario } from './scenario.ts'

const DAY_MS = 86_400_000

export interface RunPlan extends Omit<Scenario, 'faults'> {
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly kinds: readonly string[] | 'swarm'
  /** Multiplies how often faults happen. */
  readonly rate: number
}

/** The faults are over half an hour before the end, in a run shorter than an hour after half of it. */
export function planRun({ kinds, rate, ...rest }: RunPlan): Scenario {
  const lengthMs = rest.days * DAY_MS
  const untilMs = lengthMs - Math.min(RECOVERY_MS, lengthMs / 2)
  return { ...rest, faults: planFaults(createSeed(rest.seed), { kinds, rate, untilMs, machines: machinesOf(rest.validators) }) }
}
