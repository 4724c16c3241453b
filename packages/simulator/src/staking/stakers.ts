/** The validators' processes, and what their keys have signed. */
import { type Address, toAddress } from '@keelson/primitives'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { SigningJudge } from '../judges/staking/signing-judge.ts'
import { createHost, type Host, type SimulatedWorld } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { SupervisedRole } from '../roles/supervised-role.ts'
import { signingKeyOf } from './validator-accounts.ts'
import { beginProtection, startValidator, type ValidatorDisks, type ValidatorRole } from './validator-role.ts'

export class Stakers {
  readonly signing = new SigningJudge()
  readonly #roles = new Map<string, SupervisedRole<ValidatorRole>>()
  readonly #world: SimulatedWorld
  readonly #rollup: RollupNetwork
  readonly #sequencers: readonly string[]
  readonly #disk: (name: string) => SimulatedDisk

  constructor(world: SimulatedWorld, rollup: RollupNetwork, disk: (name: string) => SimulatedDisk, sequencers: readonly string[]) {
    this.#world = world
    this.#rollup = rollup
    this.#disk = disk
    this.#sequencers = sequencers
  }

  /** Keys that sign attestations. */
  get keys(): readonly Address[] {
    const { crypto } = this.#world
    return [...this.#roles.keys()].map((machine) => toAddress(crypto.addressOf(signingKeyOf(machine))))
  }

  roleOn(machine: string): SupervisedRole<ValidatorRole> | undefined {
    return this.#roles.get(machine)
  }

  start(machine: string): void {
    const disks: ValidatorDisks = {
      protection: this.#disk(`${machine}/protection`),
      machine: this.#disk(`${machine}/machine-record`),
      journal: this.#disk(`${machine}/journal`),
    }
    let isPrepared = false
    const role = new SupervisedRole<ValidatorRole>({
      simulation: this.#world.simulation,
      open: () => createHost(this.#world, machine, 'validator'),
      start: async (host: Host) => {
        if (!isPrepared) await beginProtection(host, disks)
        isPrepared = true
        return startValidator(host, this.#rollup, {
          disks,
          sequencers: this.#sequencers,
          watchSigner: (signer) => this.signing.watch(signer),
        })
      },
    })
    this.#roles.set(machine, role)
    role.start()
  }
}
