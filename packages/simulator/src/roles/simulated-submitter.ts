import { createHost, type Host, type SimulatedWorld } from './host.ts'
import { type MayFail, SupervisedRole } from './supervised-role.ts'

/** The batcher or the proposer on a machine of its own. */
export class SimulatedSubmitter extends SupervisedRole<MayFail> {
  readonly name: string

  constructor(world: SimulatedWorld, name: string, start: (host: Host) => Promise<MayFail>) {
    super({ simulation: world.simulation, open: () => createHost(world, name, name), start })
    this.name = name
  }
}
