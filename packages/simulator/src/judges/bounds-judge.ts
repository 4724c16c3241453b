/** What a network of this size keeps is bounded: waiting events, requests, transactions, and keys on disks. */
import type { RollupWorld } from '../roles/rollup-world.ts'
import type { ReportViolation } from './violation.ts'

/** Timers, packets and writes of all processes; a timer that was cancelled counts until it is due. */
const MAX_EVENTS = 50_000
/** Limit for each process. */
const MAX_OPEN_REQUESTS = 500
const MAX_L1_TRANSACTIONS = 500
/** Each account may have 256 transactions that wait for an earlier one. */
const MAX_POOLED = 4_000
/** Batcher, proposer and the consensus clients do not keep the chain. */
const MAX_KEYS_BESIDE_CHAIN = 5_000
/** A sequencer keeps what it signed at the last heights. */
const MAX_SIGNED_HEIGHTS = 86_400
/** Accounts, tries and ten keys of each block. */
const MAX_KEYS_AT_START = 50_000
const MAX_KEYS_OF_A_BLOCK = 100

/** `blocks`: those that were due since the start. */
export function maxConsensusKeys(isSequencer: boolean, blocks: number): number {
  return MAX_KEYS_BESIDE_CHAIN + (isSequencer ? Math.min(blocks, MAX_SIGNED_HEIGHTS) : 0)
}

export function judgeBounds(world: RollupWorld, report: ReportViolation): void {
  const { simulation, network, l1, nodes, submitters, rollup } = world
  const blocksDue = Math.floor((simulation.nowMs - simulation.startMs) / 1000 / rollup.config.blockTimeSec)
  const judge = (what: string, value: number, most: number) => {
    if (value > most) report('what is kept is bounded', `${what}: ${value}, at most ${most} are normal`)
  }
  judge('events that wait', simulation.waiting, MAX_EVENTS)
  judge('open requests of a process', network.mostOpen, MAX_OPEN_REQUESTS)
  judge('transactions that wait on L1', l1.pool.size, MAX_L1_TRANSACTIONS)
  for (const node of nodes) {
    const { name, disks, running } = node
    const blocks = running?.execution.chain.label('unsafe').header.number
    if (blocks !== undefined) {
      judge(`keys of the execution client of ${name}`, disks.execution.size, MAX_KEYS_AT_START + blocks * MAX_KEYS_OF_A_BLOCK)
    }
    judge(`keys of the consensus client of ${name}`, disks.consensus.size, maxConsensusKeys(world.sequencers.includes(node), blocksDue))
  }
  for (const { name, running } of nodes) {
    const { pending = 0, queued = 0 } = running?.execution.pool.counts() ?? {}
    judge(`transactions in the pool of ${name}`, pending + queued, MAX_POOLED)
  }
  for (const { name } of submitters) {
    for (const disk of world.disksOf(name)) judge(`keys of the ${name}`, disk.size, MAX_KEYS_BESIDE_CHAIN)
  }
}
