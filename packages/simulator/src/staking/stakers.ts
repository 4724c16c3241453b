/** The validators' processes, and what their keys have signed. */
import { type Address, toAddress } from '@keelson/primitives'
import { type AttestationToSign, type BareSigner, createSlashingProtection, ValidatorError } from '@keelson/validator'
import type { SimulatedDisk } from '../disk/simulated-disk.ts'
import { SigningJudge } from '../judges/staking/signing-judge.ts'
import { createHost, type Host, type SimulatedWorld } from '../roles/host.ts'
import type { RollupNetwork } from '../roles/rollup-network.ts'
import { type MayFail, SupervisedRole } from '../roles/supervised-role.ts'
import { type Misdeed, startOffender } from './offender-role.ts'
import { signingKeyOf } from './validator-accounts.ts'
import { beginProtection, startValidator, type ValidatorDisks, type ValidatorSetup } from './validator-role.ts'

/** Exit codes 3 and 4 of `keelson validator run`. */
const ENDS_FOR_GOOD: ReadonlySet<string> = new Set(['consensus/doppelganger', 'consensus/slashed'])

export class Stakers {
  readonly signing = new SigningJudge()
  /** By key: when the first two attestations of an offender for one epoch were on their way. */
  readonly offencesMs = new Map<Address, number>()
  readonly #roles = new Map<string, SupervisedRole<MayFail>>()
  /** Machines whose keys may sign twice: those of offenders, and keys that two machines have. */
  readonly #suspects = new Set<string>()
  readonly #misdeeds = new Map<string, Misdeed>()
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

  /** Machines of validators whose keys sign once. */
  get honest(): readonly string[] {
    return [...this.#roles.keys()].filter((machine) => !this.#suspects.has(machine))
  }

  /** Keys that may sign twice. */
  get suspects(): readonly Address[] {
    return [...this.#suspects].map((machine) => this.keyOf(machine))
  }

  keyOf(machine: string): Address {
    return toAddress(this.#world.crypto.addressOf(signingKeyOf(machine)))
  }

  roleOn(machine: string): SupervisedRole<MayFail> | undefined {
    return this.#roles.get(machine)
  }

  disksOf(machine: string): ValidatorDisks {
    return {
      protection: this.#disk(`${machine}/protection`),
      machine: this.#disk(`${machine}/machine-record`),
      journal: this.#disk(`${machine}/journal`),
    }
  }

  start(machine: string): void {
    const honest = this.#validatorStarter(machine, { validator: machine, nodes: machine })
    const role = this.#supervise(machine, machine, (host) => {
      const misdeed = this.#misdeeds.get(machine)
      return misdeed === undefined ? honest(host) : this.#startOffender(host, misdeed)
    })
    this.#roles.set(machine, role)
    role.start()
  }

  /** The operator of a validator replaces its process by an offender's. Returns false if nobody honest would remain to report it. */
  corrupt(machine: string, misdeed: Misdeed): boolean {
    const role = this.#roles.get(machine)
    if (role === undefined || !this.#suspect(machine)) return false
    this.#misdeeds.set(machine, misdeed)
    if (role.process === null) return true
    role.kill()
    role.start()
    return true
  }

  /**
   * Starts the key of a validator on another machine too, which asks the nodes of `nodes`. Returns the function that kills it, or
   * null if nobody honest would remain to report an offence.
   */
  startSecond(machine: string, nodes: string): (() => void) | null {
    if (!this.#roles.has(machine) || !this.#suspect(machine)) return null
    const second = `${machine}-second`
    const role = this.#supervise(machine, second, this.#validatorStarter(second, { validator: machine, nodes }))
    role.start()
    return () => role.kill()
  }

  /** Returns false if the key is under suspicion already, or no other would be free of it. */
  #suspect(machine: string): boolean {
    if (this.#suspects.has(machine) || this.honest.length < 2) return false
    this.#suspects.add(machine)
    this.signing.suspect(this.keyOf(machine))
    return true
  }

  #supervise(validator: string, machine: string, start: (host: Host) => Promise<MayFail>): SupervisedRole<MayFail> {
    return new SupervisedRole<MayFail>({
      simulation: this.#world.simulation,
      open: () => createHost(this.#world, machine, 'validator'),
      start,
      endsForGood: (error) => this.#suspects.has(validator) && error instanceof ValidatorError && ENDS_FOR_GOOD.has(error.code),
    })
  }

  #validatorStarter(machine: string, who: Pick<ValidatorSetup, 'validator' | 'nodes'>): (host: Host) => Promise<MayFail> {
    const disks = this.disksOf(machine)
    let isPrepared = false
    return async (host) => {
      if (!isPrepared) await beginProtection(host, { ...who, disks })
      isPrepared = true
      const watchSigner = (signer: BareSigner) => this.signing.watch(signer, (request) => isOnDisk(host, disks, signer.address, request))
      return startValidator(host, this.#rollup, { ...who, disks, sequencers: this.#sequencers, watchSigner })
    }
  }

  #startOffender(host: Host, misdeed: Misdeed): Promise<MayFail> {
    const { simulation } = this.#world
    const key = this.keyOf(host.machine)
    return startOffender(host, this.#rollup, {
      misdeed,
      journal: this.disksOf(host.machine).journal,
      sequencers: this.#sequencers,
      watchSigner: (signer) => this.signing.watch(signer, async () => true),
      onOffence: () => void this.offencesMs.set(key, this.offencesMs.get(key) ?? simulation.nowMs),
    })
  }
}

/** Whether the record of the attestation outlives a loss of power. */
async function isOnDisk(
  { process }: Host,
  { protection }: Pick<ValidatorDisks, 'protection'>,
  key: Address,
  { attestation }: AttestationToSign,
): Promise<boolean> {
  const records = createSlashingProtection(protection.open(process), { clock: process.clock })
  const recorded = await records.recordedAttestation(key, attestation.epoch)
  return protection.unsynced === 0 && recorded?.attestation.checkpointHash === attestation.checkpointHash
}
