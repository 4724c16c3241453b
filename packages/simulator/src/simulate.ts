/** One run: the network, the faults, the judges, and the chain derived again from L1 at the end. */
import type { Crypto, Kzg, Logger } from '@keelson/primitives'
import type { SimProcess } from './core/sim-process.ts'
import type { Fault } from './faults/fault-kind.ts'
import { runFaults } from './faults/run-faults.ts'
import { Judges } from './judges/judges.ts'
import type { Violation } from './judges/violation.ts'
import { Camera } from './picture/camera.ts'
import { type Film, FilmError, FilmedRun } from './picture/filmed-run.ts'
import type { L2Start } from './roles/rollup-network.ts'
import { RollupWorld } from './roles/rollup-world.ts'
import type { SimulatedNode } from './roles/simulated-node.ts'
import type { Scenario } from './scenario.ts'

export interface RunOptions extends Scenario {
  readonly crypto: Crypto
  /** Needed for `realCrypto`. */
  readonly kzg?: Kzg
  readonly l2: L2Start
  readonly startMs: number
  logger(process: SimProcess): Logger
  /** Called after each simulated hour, outside the simulation. */
  onHour?(world: RollupWorld, judges: Judges): void
  /** Gets snapshots of the network, which do not change the run. */
  readonly film?: Film
}

/** Runs the simulation until a time. */
type Run = (untilMs: number) => Promise<void>

export interface RunResult {
  readonly traceHash: string
  readonly events: number
  /** Includes the time after the end in which the network recovers and the chain is derived again. */
  readonly simulatedMs: number
  readonly violations: readonly Violation[]
  readonly blocks: number
  /** Accepted by the sequencer's pool. */
  readonly transactions: number
  readonly proposals: number
  /** Those that happened; a process that is down cannot stand still. */
  readonly faults: readonly Fault[]
}

export const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const WITNESS_MINUTES = 240

export async function simulate(options: RunOptions): Promise<RunResult> {
  if (options.realCrypto === true && options.kzg === undefined) throw new RangeError('realCrypto needs kzg')
  const world = new RollupWorld(options)
  const judges = new Judges(world, options.recoveryMinutes * MINUTE_MS)
  const { simulation } = world
  world.start()
  judges.start()
  const faults = runFaults(world, options.faults)
  const filmed = options.film && new FilmedRun(simulation, new Camera(world, { faults, violations: judges.violations }), options.film)
  const run: Run = (untilMs) => (filmed ?? simulation).run(untilMs)
  const runUntil = async (endMs: number) => {
    while (simulation.nowMs < endMs) {
      await run(Math.min(endMs, simulation.nowMs + HOUR_MS))
      options.onHour?.(world, judges)
    }
  }
  try {
    await runUntil(options.startMs + lengthMs(options))
    world.users.stop()
    world.apps.stopUsers()
    await conclude(world, judges, { witness: await deriveAgain(world, judges, run), run })
  } catch (error) {
    if (error instanceof FilmError) throw error
    judges.report('nothing stops the network', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  await filmed?.end()
  return {
    traceHash: simulation.trace.hash(),
    events: simulation.events,
    simulatedMs: simulation.nowMs - simulation.startMs,
    violations: judges.violations,
    blocks: world.sequencer?.running?.consensus.driver.heads?.unsafe.number ?? 0,
    transactions: world.users.accepted.size,
    proposals: world.l1.head.state.proposals.length,
    faults,
  }
}

function lengthMs({ days, faults, recoveryMinutes }: Scenario): number {
  const ends = faults.map(({ atMs, durationMs }) => atMs + durationMs + recoveryMinutes * MINUTE_MS)
  return Math.max(days * DAY_MS, ...ends)
}

/** A new node without gossip derives the chain from L1 alone; the judges compare it with the others. */
async function deriveAgain(world: RollupWorld, judges: Judges, run: Run): Promise<SimulatedNode> {
  const { simulation } = world
  const wanted = judges.highestSafe
  const witness = world.addNode('witness', { gossips: false })
  const derived = () => witness.running?.consensus.driver.heads?.safe.number ?? 0
  for (let minute = 0; minute < WITNESS_MINUTES && derived() < wanted; minute++) await run(simulation.nowMs + MINUTE_MS)
  if (derived() < wanted) {
    const text = `a new node derived ${derived()} of ${wanted} blocks in ${WITNESS_MINUTES} minutes`
    judges.report('the chain can be derived from L1', text)
  }
  return witness
}

async function conclude(
  world: RollupWorld,
  judges: Judges,
  { witness, run }: { readonly witness: SimulatedNode; readonly run: Run },
): Promise<void> {
  const { simulation } = world
  let concluded = false
  simulation.after(0, null, 'conclude', () => {
    judges.conclude(witness).then(
      () => {
        concluded = true
      },
      (error: unknown) => simulation.fail(error),
    )
  })
  await run(simulation.nowMs + MINUTE_MS)
  if (!concluded) judges.report('every node answers', `the judges wait for an answer since ${MINUTE_MS / 1000} s`)
}
