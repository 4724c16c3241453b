/** One run: the network, the judges, and the chain derived again from L1 at the end. */
import type { Crypto, Logger } from '@keelson/primitives'
import type { SimProcess } from './core/sim-process.ts'
import { type FaultEvent, FaultSchedule } from './faults/fault-schedule.ts'
import { Judges } from './judges/judges.ts'
import { RECOVERY_MS } from './judges/liveness-judge.ts'
import type { Violation } from './judges/violation.ts'
import type { L2Start } from './roles/rollup-network.ts'
import { RollupWorld } from './roles/rollup-world.ts'
import type { SimulatedNode } from './roles/simulated-node.ts'

export interface RunOptions {
  readonly seed: number
  readonly days: number
  readonly validators: number
  readonly transactionsPerSec: number
  /** Names of kinds; 'swarm' leaves the choice to the seed. */
  readonly faults: readonly string[] | 'swarm'
  readonly crypto: Crypto
  readonly l2: L2Start
  readonly startMs: number
  logger(process: SimProcess): Logger
  /** Called after each simulated hour, outside the simulation. */
  onHour?(world: RollupWorld, judges: Judges): void
}

export interface RunResult {
  readonly traceHash: string
  readonly events: number
  /** Includes the time after the end in which the chain is derived again. */
  readonly simulatedMs: number
  readonly violations: readonly Violation[]
  readonly blocks: number
  /** Accepted by the sequencer's pool. */
  readonly transactions: number
  readonly proposals: number
  readonly faults: readonly FaultEvent[]
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const WITNESS_STEP_MS = 60_000
const WITNESS_STEPS = 240

export async function simulate(options: RunOptions): Promise<RunResult> {
  const world = new RollupWorld(options)
  const judges = new Judges(world)
  const endMs = options.startMs + options.days * DAY_MS
  const faults = new FaultSchedule(world, options.faults, endMs - Math.min(RECOVERY_MS, (options.days * DAY_MS) / 2))
  const { simulation } = world
  world.start()
  judges.start()
  faults.start()
  try {
    while (simulation.nowMs < endMs) {
      await simulation.run(Math.min(endMs, simulation.nowMs + HOUR_MS))
      options.onHour?.(world, judges)
    }
    world.users.stop()
    await deriveAgain(world, judges)
    simulation.after(0, null, 'conclude', () => void judges.conclude().catch((error: unknown) => simulation.fail(error)))
    await simulation.run(simulation.nowMs + WITNESS_STEP_MS)
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    judges.violations.push({ atMs: simulation.nowMs - simulation.startMs, rule: 'nothing stops the network', text })
  }
  return {
    traceHash: simulation.trace.hash(),
    events: simulation.events,
    simulatedMs: simulation.nowMs - simulation.startMs,
    violations: judges.violations,
    blocks: world.nodes[0]?.running?.consensus.driver.heads?.unsafe.number ?? 0,
    transactions: world.users.accepted.size,
    proposals: world.l1.head.state.proposals.length,
    faults: faults.history,
  }
}

/** A new node without gossip derives the chain from L1 alone; the judges compare it with the others. */
async function deriveAgain(world: RollupWorld, judges: Judges): Promise<void> {
  const wanted = safeOf(world.nodes[0])
  const witness = world.addNode('witness', { gossips: false })
  world.lastFaultMs = world.simulation.nowMs
  for (let step = 0; step < WITNESS_STEPS && safeOf(witness) < wanted; step++) {
    await world.simulation.run(world.simulation.nowMs + WITNESS_STEP_MS)
  }
  if (safeOf(witness) >= wanted) return
  const atMs = world.simulation.nowMs - world.simulation.startMs
  const text = `a new node derived ${safeOf(witness)} of ${wanted} blocks in ${WITNESS_STEPS} minutes`
  judges.violations.push({ atMs, rule: 'the chain can be derived from L1', text })
}

function safeOf(node: SimulatedNode | undefined): number {
  return node?.running?.consensus.driver.heads?.safe.number ?? 0
}
