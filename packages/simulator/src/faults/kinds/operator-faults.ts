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
  victims: ({ stakers }) => stakers,
  draw: restart.draw,
  tell: ({ victim }) => `the validator's process on ${victim} is stopped by its operator, and started again`,
  begin(scene, { victim }) {
    const role = scene.world.stakers?.roleOn(victim)
    return role === undefined ? null : stopGracefully(scene, `${victim}/validator`, role)
  },
}

/** With a conductor, its candidate is started and stopped by it alone; see `leader-transfer`. */
export const sequencerStop: FaultKind = {
  name: 'sequencer-stop',
  meanMinutes: 30,
  parameters: { onOldHead: 'flag' },
  victims: ({ sequencers, stores }) => (stores.length > 0 ? [] : sequencers),
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 4 * MINUTE_MS), parameters: { onOldHead: random.next() < 0.5 } }),
  tell: ({ victim, parameters: { onOldHead } }) =>
    `the operator stops building at the ${victim}, and starts it again${onOldHead === true ? ', on an old head first' : ''}`,
  begin({ world, stops }, { victim, parameters }) {
    const { operator } = world
    const onOldHead = parameters.onOldHead === true
    return stops.begin(`operator of ${victim}`, null, ({ length }) => (length > 0 ? operator.stop() : operator.start({ onOldHead })))
  },
}

function roleOf(world: RollupWorld, victim: string): Stoppable | null {
  return stoppableOf(world, victim) ?? world.apps.roleOn(victim) ?? null
}
