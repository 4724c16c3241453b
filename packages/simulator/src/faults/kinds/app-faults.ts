/** Services beside the rollup that are killed, also between two writes, and that lose power. */
import { between, type FaultKind, MINUTE_MS, numberOf, type Scene, SECOND_MS } from '../fault-kind.ts'
import { whole } from '../parameters.ts'
import { cutPower, stopRole } from '../stop-role.ts'

export const appKill: FaultKind = {
  name: 'app-kill',
  meanMinutes: 15,
  parameters: {},
  victims: ({ apps }) => apps,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `the ${victim} is killed`,
  begin: (scene, { victim }) => stop(scene, victim),
}

/** A random moment rarely lies between the steps of a payment; each of these does. */
export const appKillAtWrite: FaultKind = {
  name: 'app-kill-at-write',
  meanMinutes: 10,
  parameters: { write: whole(1, 1_000) },
  victims: ({ apps }) => apps,
  draw: (random) => ({ durationMs: between(random, 30 * SECOND_MS, 3 * MINUTE_MS), parameters: { write: between(random, 1, 6) } }),
  tell: (fault) => `the ${fault.victim} is killed as it makes its write number ${numberOf(fault, 'write')}`,
  begin(scene, fault) {
    const { victim } = fault
    let left = numberOf(fault, 'write')
    let end: (() => void) | null = null
    for (const disk of scene.world.disksOf(victim)) {
      disk.onWrite = () => {
        if (--left === 0) end = stop(scene, victim)
      }
    }
    return () => {
      for (const disk of scene.world.disksOf(victim)) disk.onWrite = null
      end?.()
    }
  },
}

export const appPower: FaultKind = {
  name: 'app-power',
  meanMinutes: 45,
  parameters: {},
  victims: ({ apps }) => apps,
  draw: (random) => ({ durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} loses power`,
  begin: (scene, { victim }) => cutPower(scene, victim, () => [stop(scene, victim)]),
}

/** Null if there is no such service. */
function stop(scene: Scene, victim: string): (() => void) | null {
  const role = scene.world.apps.roleOn(victim)
  return role === undefined ? null : stopRole(scene, victim, role)
}
