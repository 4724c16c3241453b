/** Services beside the rollup, each on a machine of its own, and those who use them. */
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import type { Transfer } from '../roles/bridge-user.ts'
import { createHost, type Host, type SimulatedWorld } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { type MayFail, SupervisedRole } from '../roles/supervised-role.ts'
import { BRIDGE_STATUS, type BridgeStatusRole, startBridgeStatus } from './bridge-status-role.ts'
import { BridgeWatchers } from './bridge-watchers.ts'
import { FAUCET, type FaucetRole, startFaucet } from './faucet-role.ts'
import { FaucetUsers } from './faucet-users.ts'

export interface AppsSetup {
  readonly rollup: RollupNetwork
  readonly l1Machine: string
  readonly sequencers: readonly string[]
  readonly usersMachine: string
  disk(name: string): SimulatedDisk
  transfers(): readonly Transfer[]
}

/** In the order of a plan. */
export const APP_MACHINES = [FAUCET, BRIDGE_STATUS] as const

export class Apps {
  readonly faucet: SupervisedRole<FaucetRole>
  readonly faucetUsers: FaucetUsers
  readonly bridgeStatus: SupervisedRole<BridgeStatusRole>
  readonly bridgeWatchers: BridgeWatchers

  constructor(world: SimulatedWorld, { rollup, usersMachine, disk, transfers, sequencers, l1Machine }: AppsSetup) {
    const { simulation } = world
    const open = (machine: string) => (): Host => createHost(world, machine, machine)
    this.faucet = new SupervisedRole({
      simulation,
      open: open(FAUCET),
      start: (host) => startFaucet(host, disk(FAUCET), rollup, sequencers),
    })
    this.bridgeStatus = new SupervisedRole({
      simulation,
      open: open(BRIDGE_STATUS),
      start: (host) => startBridgeStatus(host, disk(BRIDGE_STATUS), rollup, { l1Machine, sequencers }),
    })
    this.bridgeWatchers = new BridgeWatchers(createHost(world, usersMachine, 'bridge-watchers'), transfers)
    this.faucetUsers = new FaucetUsers(createHost(world, usersMachine, 'faucet'))
  }

  start(): void {
    this.faucet.start()
    this.faucetUsers.start()
    this.bridgeStatus.start()
    this.bridgeWatchers.start()
  }

  /** No new requests come. */
  stopUsers(): void {
    this.faucetUsers.stop()
  }

  /** Undefined if no service runs on the machine. */
  roleOn(machine: string): SupervisedRole<MayFail> | undefined {
    if (machine === BRIDGE_STATUS) return this.bridgeStatus
    return machine === FAUCET ? this.faucet : undefined
  }
}
