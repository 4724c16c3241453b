/** Several sequencers with a conductor each, and the etcd that these share. It notes what was recorded and published, for the judges. */
import type { BlockId, Hash, L2BlockRef } from '@keelson/primitives'
import { ETCD, SimulatedEtcd } from '../etcd/simulated-etcd.ts'
import { ETCD_PREFIX } from './conductor-role.ts'
import { createHost, type SimulatedWorld } from './host.ts'
import { type MayFail, SupervisedRole } from './supervised-role.ts'

export interface Recording {
  /** The machine of the conductor. */
  readonly by: string
  /** Null when nobody held the leadership. */
  readonly leader: string | null
}

export interface Publication {
  readonly by: string
  readonly number: number
  readonly hash: Hash
  readonly l1Origin: BlockId
  /** The block of this height in the record then; null if there was none. */
  readonly recorded: string | null
}

const HEAD_KEY = Buffer.from(`${ETCD_PREFIX}head`).toString('base64')

export class SequencerCluster {
  readonly members: readonly string[]
  readonly etcd: SimulatedEtcd
  readonly store: SupervisedRole<MayFail>
  #recordings: Recording[] = []
  #publications: Publication[] = []

  constructor(world: SimulatedWorld, members: readonly string[]) {
    this.members = members
    this.etcd = new SimulatedEtcd(world.network, (by, operations) => {
      const records = operations.some(({ request_put: put }) => (put as { readonly key: string } | undefined)?.key === HEAD_KEY)
      if (records) this.#recordings.push({ by, leader: this.leader })
    })
    this.store = new SupervisedRole<MayFail>({
      simulation: world.simulation,
      open: () => createHost(world, ETCD, 'server'),
      start: async ({ process }) => {
        this.etcd.begin(process)
        return {}
      },
    })
  }

  /** The sequencer whose conductor holds the leadership in etcd. */
  get leader(): string | null {
    return (this.#read('leader')?.holder as string | undefined) ?? null
  }

  notePublished(by: string, { hash, number, l1Origin }: L2BlockRef): void {
    const recorded = this.#read(`block/${number.toString(16).padStart(16, '0')}`)
    this.#publications.push({ by, number, hash, l1Origin, recorded: (recorded?.hash as string | undefined) ?? null })
  }

  /** What happened since the last call. */
  takeNotes(): { readonly recordings: readonly Recording[]; readonly publications: readonly Publication[] } {
    const notes = { recordings: this.#recordings, publications: this.#publications }
    this.#recordings = []
    this.#publications = []
    return notes
  }

  #read(key: string): Readonly<Record<string, unknown>> | null {
    const entry = this.etcd.state.get(ETCD_PREFIX + key)
    return entry === null ? null : JSON.parse(new TextDecoder().decode(entry.value))
  }
}
