/** What operators do with the databases of nodes: they prune them, and give a node the snapshot of another. */
import {
  exportOnline,
  type OfflineWork,
  pruneOffline,
  pruneOnline,
  restoreFromSnapshot,
  type Snapshot,
  workOffline,
} from '../../operators/maintenance.ts'
import type { SimulatedNode } from '../../roles/simulated-node.ts'
import { between, type FaultKind, MINUTE_MS, numberOf, type Scene, SECOND_MS } from '../fault-kind.ts'
import { followersOf } from '../machines.ts'
import { whole } from '../parameters.ts'
import { type Stoppable, stopGracefully } from '../stop-role.ts'
import { nodeOf, stoppableOf } from './process-faults.ts'

/** Users prove withdrawals at a sequencer, for which it needs its history. */
const victims = followersOf
/** Reorgs of L1 must not reach below the history. */
const LEAST_HISTORY_BLOCKS = 200

export const prune: FaultKind = {
  name: 'prune',
  meanMinutes: 30,
  parameters: { historyBlocks: whole(LEAST_HISTORY_BLOCKS, 100_000), online: 'flag' },
  victims,
  draw: (random) => ({
    durationMs: between(random, SECOND_MS, MINUTE_MS),
    parameters: { historyBlocks: between(random, LEAST_HISTORY_BLOCKS, 3 * LEAST_HISTORY_BLOCKS), online: random.next() < 0.3 },
  }),
  tell: (fault) =>
    fault.parameters.online === true
      ? `${fault.victim} prunes itself`
      : `${fault.victim} is stopped, and pruned to ${numberOf(fault, 'historyBlocks')} blocks of history`,
  begin(scene, fault) {
    const { world } = scene
    const node = nodeOf(world, fault.victim)
    if (node === undefined || node.damaged) return null
    if (fault.parameters.online !== true) return whileStopped(scene, node, pruneOffline(node, numberOf(fault, 'historyBlocks')))
    pruneOnline(node, world)
    return () => undefined
  },
}

/** The operator waits until the blocks of the snapshot are final, because the node will never leave them. */
export const snapshotRestore: FaultKind = {
  name: 'snapshot-restore',
  meanMinutes: 40,
  parameters: { from: 'names' },
  victims,
  draw(random, victim, { nodes }) {
    const others = nodes.filter((name) => name !== victim)
    const from = others[Math.floor(random.next() * others.length)] as string
    return { durationMs: between(random, 18 * MINUTE_MS, 25 * MINUTE_MS), parameters: { from: [from] } }
  },
  tell: ({ victim, parameters: { from } }) => `${from} exports a snapshot, and at the end ${victim} begins again with it`,
  begin(scene, { victim, parameters: { from } }) {
    const { world } = scene
    const [name = ''] = from as readonly string[]
    const [node, donor] = [nodeOf(world, victim), nodeOf(world, name)]
    if (node === undefined || donor === undefined || donor.damaged) return null
    let snapshot: Snapshot | null = null
    exportOnline(donor, world, (taken) => {
      if (!donor.damaged) snapshot = taken
    })
    return () => {
      if (snapshot === null || !isFinal(scene, snapshot)) return
      whileStopped(scene, node, restoreFromSnapshot(node, world.rollup, snapshot, world.sequencers[0]?.name ?? ''))()
    }
  },
}

function isFinal({ world: { sequencer } }: Scene, { manifest: { blockNumber, blockHash } }: Snapshot): boolean {
  const { running } = sequencer ?? { running: null }
  const finalized = running?.consensus.driver.heads?.finalized.number ?? 0
  return blockNumber <= finalized && running?.execution.chain.canonicalHash(blockNumber) === blockHash
}

/** Stops the node, and starts it again when the work is done and the returned function was called. */
function whileStopped(scene: Scene, node: SimulatedNode, work: OfflineWork): () => void {
  const { world } = scene
  const ends = node.roles.map((role) => {
    const place = `${node.name}/${role}`
    return stopGracefully(scene, place, stoppableOf(world, place) as Stoppable)
  })
  let left = 2
  const oneLess = () => {
    left--
    if (left === 0) for (const end of ends) end()
  }
  workOffline(world, node, work, oneLess)
  return oneLess
}
