import { APP_MACHINES } from '../apps/apps.ts'
import type { Machines } from './fault-kind.ts'

/** The machines of a network, by name, before it exists. */
export function machinesOf(validators: number): Machines {
  const nodes = ['sequencer', ...Array.from({ length: validators }, (_, i) => `validator-${i + 1}`)]
  const submitters = ['batcher', 'proposer']
  return { nodes, submitters, apps: APP_MACHINES, all: ['l1', ...nodes, ...submitters, ...APP_MACHINES, 'users'] }
}
