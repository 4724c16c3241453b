/** Processes that are killed or stand still, machines without power. */
import type { RollupWorld } from '../../roles/rollup-world.ts'
import type { NodeRole, SimulatedNode } from '../../roles/simulated-node.ts'
import { between, type FaultKind, type Machines, MINUTE_MS, type Scene, SECOND_MS } from '../fault-kind.ts'
import { cutPower, type Stoppable, stopRole } from '../stop-role.ts'
import { stopValidator } from './validator-faults.ts'

export function nodeProcesses({ nodes, sequencers, stores }: Machines): readonly string[] {
  const conducted = stores.length > 0 ? sequencers : []
  return [
    ...nodes.flatMap((name) => ['execution', 'consensus'].map((role) => `${name}/${role}`)),
    ...conducted.map((name) => `${name}/conductor`),
  ]
}

export const kill: FaultKind = {
  name: 'kill',
  meanMinutes: 20,
  parameters: {},
  victims: nodeProcesses,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} is killed`,
  begin: (scene, { victim }) => stop(scene, victim),
}

export const submitterKill: FaultKind = {
  name: 'submitter-kill',
  meanMinutes: 30,
  parameters: {},
  victims: ({ submitters }) => submitters,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 10 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `the ${victim} is killed`,
  begin: (scene, { victim }) => stop(scene, victim),
}

export const power: FaultKind = {
  name: 'power',
  meanMinutes: 60,
  parameters: {},
  victims: ({ nodes, submitters }) => [...nodes, ...submitters],
  draw: (random) => ({ durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} loses power`,
  begin(scene, { victim }) {
    const node = nodeOf(scene.world, victim)
    return cutPower(scene, victim, () =>
      node === undefined
        ? [stop(scene, victim)]
        : [...node.roles.map((role) => stop(scene, `${victim}/${role}`)), stopValidator(scene, victim)],
    )
  },
}

export const freeze: FaultKind = {
  name: 'freeze',
  meanMinutes: 20,
  parameters: {},
  victims: nodeProcesses,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} stands still`,
  begin({ world }, { victim }) {
    const [machine = '', role] = victim.split('/')
    return nodeOf(world, machine)?.freeze(role as NodeRole) ?? null
  },
}

/** Null if there is no such process. */
export function stop(scene: Scene, victim: string): (() => void) | null {
  const role = stoppableOf(scene.world, victim)
  return role === null ? null : stopRole(scene, victim, role)
}

/** A process of a node, or a submitter's. */
export function stoppableOf(world: RollupWorld, victim: string): Stoppable | null {
  const [machine = '', name] = victim.split('/')
  const submitter = world.submitters.find(({ name }) => name === victim)
  if (submitter !== undefined) return submitter
  const node = nodeOf(world, machine)
  if (node === undefined) return null
  const role = name as NodeRole
  return { kill: () => node.killRole(role), stop: () => node.stopRole(role), start: () => node.startRole(role) }
}

export function nodeOf({ nodes }: RollupWorld, machine: string): SimulatedNode | undefined {
  return nodes.find(({ name }) => name === machine)
}
