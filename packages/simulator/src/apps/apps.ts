/** Services beside the rollup, each on a machine of its own, and those who use them. */
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { createHost, type Host, type SimulatedWorld } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { type MayFail, SupervisedRole } from '../roles/supervised-role.ts'
import { FAUCET, type FaucetRole, startFaucet } from './faucet-role.ts'
import { FaucetUsers } from './faucet-users.ts'

export interface AppsSetup {
  readonly rollup: RollupNetwork
  readonly sequencers: readonly string[]
  readonly usersMachine: string
  disk(name: string): SimulatedDisk
}

/** In the order of a plan. */
export const APP_MACHINES = [FAUCET] as const

export class Apps {
  readonly faucet: SupervisedRole<FaucetRole>
  readonly faucetUsers: FaucetUsers

  constructor(world: SimulatedWorld, { rollup, sequencers, usersMachine, disk }: AppsSetup) {
    const { simulation } = world
    const open = (machine: string) => (): Host => createHost(world, machine, machine)
    this.faucet = new SupervisedRole({
      simulation,
      open: open(FAUCET),
      start: (host) => startFaucet(host, disk(FAUCET), rollup, sequencers),
    })
    this.faucetUsers = new FaucetUsers(createHost(world, usersMachine, 'faucet'))
  }

  start(): void {
    this.faucet.start()
    this.faucetUsers.start()
  }

  /** No new requests come. */
  stopUsers(): void {
    this.faucetUsers.stop()
  }

  /** Undefined if no service runs on the machine. */
  roleOn(machine: string): SupervisedRole<MayFail> | undefined {
    return machine === FAUCET ? this.faucet : undefined
  }
}
