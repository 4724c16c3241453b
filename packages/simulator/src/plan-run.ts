import { createSeed } from './core/seed.ts'
import { machinesOf } from './faults/machines.ts'
import { planFaults } from './faults/plan-faults.ts'
import type { Scenario } from './scenario.ts'
import { drawUpgrades, type Upgrade } from './upgrades/upgrades.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export interface RunPlan extends Omit<Scenario, 'faults' | 'upgrades'> {
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly kinds: readonly string[] | 'swarm'
  /** Multiplies how often faults happen. */
  readonly rate: number
  /** 'swarm' leaves them to the seed. */
  readonly upgrades?: readonly Upgrade[] | 'swarm'
}

/** The faults are over a recovery before the end, but not before half of the run. */
export function planRun({ kinds, rate, upgrades: given = [], ...rest }: RunPlan): Scenario {
  const seed = createSeed(rest.seed)
  const lengthMs = rest.days * DAY_MS
  const machines = machinesOf(rest.validators, rest.sequencers, rest.staking)
  const untilMs = lengthMs - Math.min(rest.recoveryMinutes * MINUTE_MS, lengthMs / 2)
  const upgrades = given === 'swarm' ? drawUpgrades(seed.random('upgrades'), untilMs / 1_000) : given
  return {
    ...rest,
    ...(upgrades.length === 0 ? {} : { upgrades }),
    faults: planFaults(seed, { kinds, rate, untilMs, machines }),
  }
}
