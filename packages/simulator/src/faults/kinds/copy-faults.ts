/** Followers whose disks get an old copy of themselves, or wrong values. */
import type { SimulatedNode } from '../../roles/simulated-node.ts'
import { between, type FaultKind, MINUTE_MS, numberOf, type Scene, SECOND_MS } from '../fault-kind.ts'
import { followersOf } from '../machines.ts'
import { whole } from '../parameters.ts'
import { nodeOf, stop } from './process-faults.ts'

const RESTORE_MS = 10 * SECOND_MS

/** A sequencer with an old record of what it signed would sign other blocks. */
const victims = followersOf

export const oldCopy: FaultKind = {
  name: 'old-copy',
  meanMinutes: 60,
  parameters: {},
  victims,
  draw: (random) => ({ durationMs: between(random, 30 * SECOND_MS, 20 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} is copied, and at the end restored from the copy`,
  begin(scene, { victim }) {
    const node = nodeOf(scene.world, victim)
    if (node === undefined || node.damaged) return null
    const copy = node.copyDisks()
    return () => restore(scene, node, () => node.restoreDisks(copy))
  },
}

/**
 * LevelDB checks its checksums only while it reads its log, so that most wrong values reach the node, and some are errors. The node
 * may fail or be wrong about itself; the others must not notice. At the end, the machine gets back what it had before.
 */
export const bitFlip: FaultKind = {
  name: 'bit-flip',
  meanMinutes: 60,
  parameters: { values: whole(1, 1_000_000), noticed: 'flag' },
  victims,
  draw: (random) => ({
    durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS),
    parameters: { values: Math.ceil(2 ** (10 * random.next())), noticed: random.next() < 0.5 },
  }),
  tell: (fault) =>
    `${numberOf(fault, 'values')} values on each disk of ${fault.victim} ${fault.parameters.noticed === true ? 'cannot be read' : 'have a wrong bit'}`,
  begin(scene, fault) {
    const node = nodeOf(scene.world, fault.victim)
    if (node === undefined || node.damaged) return null
    const copy = node.copyDisks()
    node.damaged = true
    for (const disk of Object.values(node.disks)) {
      for (let i = 0; i < numberOf(fault, 'values'); i++) fault.parameters.noticed === true ? disk.breakValue() : disk.flipBit()
    }
    return () => restore(scene, node, () => node.restoreDisks(copy))
  },
}

/** Stops both processes, and starts them a little later. */
function restore(scene: Scene, node: SimulatedNode, act: () => void): void {
  const { simulation } = scene.world
  const ends = node.roles.map((role) => stop(scene, `${node.name}/${role}`))
  act()
  simulation.after(RESTORE_MS, null, 'disks are restored', () => {
    for (const end of ends) end?.()
  })
}
