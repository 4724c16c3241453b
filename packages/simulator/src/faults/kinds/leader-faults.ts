/** What happens to the leader of several sequencers, whichever it is then, and to the store that says who leads. */

import { CONDUCTOR_PORTS } from '../../roles/conductor-role.ts'
import { createHost, urlOf } from '../../roles/host.ts'
import { between, type Fault, type FaultKind, type Machines, MINUTE_MS, type Scene, SECOND_MS } from '../fault-kind.ts'
import { stopRole } from '../stop-role.ts'
import { partition } from './link-faults.ts'
import { nodeOf, power } from './process-faults.ts'

export const LEADER = 'leader'

const leader = ({ stores }: Machines) => (stores.length > 0 ? [LEADER] : [])
const isWhole = ({ parameters }: Fault) => parameters.whole === true

export const leaderPower: FaultKind = {
  name: 'leader-power',
  meanMinutes: 30,
  parameters: {},
  victims: leader,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 5 * MINUTE_MS), parameters: {} }),
  tell: () => 'the machine of the leader loses power',
  begin: (scene, fault) => withLeader(scene, (name) => power.begin(scene, { ...fault, victim: name })),
}

export const leaderFreeze: FaultKind = {
  name: 'leader-freeze',
  meanMinutes: 20,
  parameters: { whole: 'flag' },
  victims: leader,
  draw: (random) => ({ durationMs: between(random, SECOND_MS, 40 * SECOND_MS), parameters: { whole: random.next() < 0.5 } }),
  tell: (fault) => (isWhole(fault) ? 'the machine of the leader stands still' : 'the conductor of the leader stands still'),
  begin: (scene, fault) =>
    withLeader(scene, (name) => {
      const node = nodeOf(scene.world, name)
      const ends = (isWhole(fault) ? (node?.roles ?? []) : (['conductor'] as const)).map((role) => node?.freeze(role) ?? null)
      return () => {
        for (const end of ends) end?.()
      }
    }),
}

export const leaderCut: FaultKind = {
  name: 'leader-cut',
  meanMinutes: 20,
  parameters: { from: 'names', oneWay: 'flag' },
  victims: leader,
  draw(random, _, { all, stores, sequencers }) {
    const others = all.filter((machine) => !sequencers.includes(machine))
    return {
      durationMs: between(random, SECOND_MS, 3 * MINUTE_MS),
      parameters: { from: random.next() < 0.5 ? stores : others, oneWay: random.next() < 0.4 },
    }
  },
  tell: (fault) => `the leader: ${partition.tell(fault)}`,
  begin: (scene, fault) => withLeader(scene, (name) => partition.begin(scene, { ...fault, victim: name })),
}

/** The operator asks the conductor of the leader to hand over. */
export const leaderTransfer: FaultKind = {
  name: 'leader-transfer',
  meanMinutes: 20,
  parameters: {},
  victims: leader,
  draw: () => ({ durationMs: 0, parameters: {} }),
  tell: () => 'the operator moves the leadership',
  begin: ({ world }) =>
    withLeader({ world }, (name) => {
      const rpc = createHost(world, 'users', 'operator').rpc(urlOf(name, CONDUCTOR_PORTS.operator))
      // The conductor says why it does not, for example when no other sequencer can lead.
      rpc.call('conductor_transferLeader', [], { retry: false }).catch(() => null)
      return () => undefined
    }),
}

export const storeKill: FaultKind = {
  name: 'store-kill',
  meanMinutes: 40,
  parameters: {},
  victims: ({ stores }) => stores,
  draw: (random) => ({ durationMs: between(random, SECOND_MS / 2, 2 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `${victim} is killed`,
  begin(scene, { victim }) {
    const { cluster } = scene.world
    return cluster === null ? null : stopRole(scene, victim, cluster.store)
  },
}

/** Null while nobody leads. */
function withLeader({ world }: Pick<Scene, 'world'>, begin: (name: string) => (() => void) | null): (() => void) | null {
  const name = world.cluster?.leader ?? null
  return name === null ? null : begin(name)
}
