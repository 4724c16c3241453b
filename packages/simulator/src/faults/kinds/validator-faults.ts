/** Processes of validators that are killed or stand still while the nodes of their machines run. */
import { between, type FaultKind, type Machines, MINUTE_MS, type Scene, SECOND_MS } from '../fault-kind.ts'
import { stopRole } from '../stop-role.ts'

/** Others have no such process. */
const validators = ({ stakers }: Machines) => stakers

export const validatorKill: FaultKind = {
  name: 'validator-kill',
  meanMinutes: 10,
  parameters: {},
  victims: validators,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `the validator's process on ${victim} is killed`,
  begin: (scene, { victim }) => stopValidator(scene, victim),
}

export const validatorFreeze: FaultKind = {
  name: 'validator-freeze',
  meanMinutes: 20,
  parameters: {},
  victims: validators,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `the validator's process on ${victim} stands still`,
  begin: ({ world }, { victim }) => world.stakers?.roleOn(victim)?.freeze() ?? null,
}

/** Null if no validator runs there. */
export function stopValidator(scene: Scene, machine: string): (() => void) | null {
  const role = scene.world.stakers?.roleOn(machine)
  return role === undefined ? null : stopRole(scene, `${machine}/validator`, role)
}
