/** Keys of validators that sign twice, or that production must keep from it. */
import { between, type FaultKind, type Machines, MINUTE_MS, type Scene, SECOND_MS } from '../fault-kind.ts'
import { stopValidator } from './validator-faults.ts'

const RESTORE_MS = 10 * SECOND_MS

const stakers = (machines: Machines) => machines.stakers
/** One that is honest remains to report the other. */
const oneOfSeveral = ({ stakers: machines }: Machines) => (machines.length > 1 ? machines : [])

/** A machine starts with a watermark above all that it may have signed, so that even an old copy of all its records signs nothing twice. */
export const oldProtection: FaultKind = {
  name: 'old-protection',
  meanMinutes: 20,
  parameters: { whole: 'flag' },
  victims: stakers,
  draw: (random) => ({ durationMs: between(random, 30 * SECOND_MS, 10 * MINUTE_MS), parameters: { whole: random.next() < 0.5 } }),
  tell: ({ victim, parameters }) =>
    `the slashing protection of ${victim}${parameters.whole === true ? ' and the record of the machine are' : ' is'} copied, and at the end restored from the copy`,
  begin(scene, { victim, parameters }) {
    const disks = scene.world.stakers?.disksOf(victim)
    if (disks === undefined || disks.protection.size === 0) return null
    const restored = parameters.whole === true ? [disks.protection, disks.machine] : [disks.protection]
    const copies = restored.map((disk) => [disk, disk.copy()] as const)
    return () =>
      restart(scene, victim, () => {
        for (const [disk, copy] of copies) disk.restore(copy)
      })
  },
}

/** They listen to each other, and the one that hears the other stops. The chain must slash the key if both have signed. */
export const twoMachines: FaultKind = {
  name: 'two-machines',
  meanMinutes: 60,
  parameters: { sequencerNodes: 'flag' },
  victims: oneOfSeveral,
  draw: (random) => ({
    durationMs: between(random, 2 * MINUTE_MS, 20 * MINUTE_MS),
    parameters: { sequencerNodes: random.next() < 0.7 },
  }),
  tell: ({ victim, parameters }) =>
    `a second machine attests with the key of ${victim}, and asks the nodes of ${parameters.sequencerNodes === true ? 'the sequencer' : 'the same machine'}`,
  begin({ world: { stakers, sequencers } }, { victim, parameters }) {
    const nodes = parameters.sequencerNodes === true ? (sequencers[0]?.name ?? victim) : victim
    return stakers?.startSecond(victim, nodes) ?? null
  },
}

/** It lasts until the chain has slashed the key. */
export const doubleVote: FaultKind = {
  name: 'double-vote',
  meanMinutes: 60,
  parameters: { onChain: 'flag', sameBlock: 'flag' },
  victims: oneOfSeveral,
  draw: (random) => ({ durationMs: 0, parameters: { onChain: random.next() < 0.5, sameBlock: random.next() < 0.5 } }),
  tell: ({ victim, parameters }) =>
    `the key of ${victim} signs two attestations in each epoch, ${parameters.onChain === true ? 'one on the chain and one' : 'both'} in gossip`,
  begin({ world: { stakers } }, { victim, parameters }) {
    const misdeed = { onChain: parameters.onChain === true, sameBlock: parameters.sameBlock === true }
    return stakers?.corrupt(victim, misdeed) === true ? () => undefined : null
  },
}

/** Stops the validator's process, and starts it a little later. */
function restart(scene: Scene, machine: string, act: () => void): void {
  const end = stopValidator(scene, machine)
  act()
  scene.world.simulation.after(RESTORE_MS, null, 'records are restored', () => end?.())
}
