import type { FaultKind, Machines } from './fault-kind.ts'
import { machinesOf } from './machines.ts'

/** Networks with one thing that the smallest lacks. */
const NETWORKS: readonly (readonly [need: string, machines: Machines])[] = [
  ['', machinesOf(0)],
  ['validators', machinesOf(1)],
  ['several sequencers', machinesOf(0, 2)],
  ['validators that stake', machinesOf(1, 1, true)],
  ['several validators that stake', machinesOf(2, 1, true)],
]

/**
 * What a network must have so that the kind has a victim there; empty for a kind that every network can have. Throws an Error for a
 * kind that none of the networks above can have.
 */
export function needOf(kind: FaultKind): string {
  const network = NETWORKS.find(([, machines]) => kind.victims(machines).length > 0)
  if (network === undefined) throw new Error(`no known network has a victim of ${kind.name}`)
  return network[0]
}

/** Null if the kind has a victim in the network. */
export function whyNoVictim(kind: FaultKind, machines: Machines): string | null {
  return kind.victims(machines).length > 0 ? null : `${kind.name} has no victim in this network: it needs ${needOf(kind)}`
}
