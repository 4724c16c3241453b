/** What operators do to a network that runs. */
import type { RollupWorld } from '../../roles/rollup-world.ts'
import { between, type FaultKind, MINUTE_MS, SECOND_MS } from '../fault-kind.ts'
import { type Stoppable, stopGracefully } from '../stop-role.ts'
import { nodeProcesses, stoppableOf } from './process-faults.ts'

/** Half of the processes come back at once, as with `systemctl restart`. */
export const restart: FaultKind = {
  name: 'restart',
  meanMinutes: 15,
  parameters: {},
  victims: (machines) => [...nodeProcesses(machines), ...machines.submitters, ...machines.apps],
  draw: (random) => ({ durationMs: random.next() < 0.5 ? 0 : between(random, SECOND_MS, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} is stopped by its operator, and started again`,
  begin(scene, { victim }) {
    const role = roleOf(scene.world, victim)
    return role === null ? null : stopGracefully(scene, victim, role)
  },
}

/** As `restart`, for the processes of validators beside their nodes. */
export const validatorRestart: FaultKind = {
  name: 'validator-restart',
  meanMinutes: 15,
  parameters: {},
  victims: ({ nodes, sequencers }) => nodes.slice(sequencers.length),
  draw: restart.draw,
  tell: ({ victim }) => `the validator's process on ${victim} is stopped by its operator, and started again`,
  begin(scene, { victim }) {
    const role = scene.world.stakers?.roleOn(victim)
    return role === undefined ? null : stopGracefully(scene, `${victim}/validator`, role)
  },
}

function roleOf(world: RollupWorld, victim: string): Stoppable | null {
  return stoppableOf(world, victim) ?? world.apps.roleOn(victim) ?? null
}
