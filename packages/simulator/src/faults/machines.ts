import { APP_MACHINES } from '../apps/apps.ts'
import { ETCD } from '../etcd/simulated-etcd.ts'
import { sequencerNames } from '../roles/sequencer-names.ts'
import type { Machines } from './fault-kind.ts'

/** The machines of a network, by name, before it exists. `staking` says whether its validators attest. */
export function machinesOf(validators: number, count = 1, staking = false): Machines {
  const sequencers = sequencerNames(count)
  const followers = Array.from({ length: validators }, (_, i) => `validator-${i + 1}`)
  const nodes = [...sequencers, ...followers]
  const submitters = ['batcher', 'proposer']
  const stores = sequencers.length > 1 ? [ETCD] : []
  const all = ['l1', ...nodes, ...submitters, ...APP_MACHINES, 'users', ...stores]
  return { sequencers, nodes, stakers: staking ? followers : [], submitters, apps: APP_MACHINES, stores, all }
}

/** Nodes that are no sequencers. */
export function followersOf({ nodes, sequencers }: Machines): readonly string[] {
  return nodes.filter((name) => !sequencers.includes(name))
}
