/** `npm run test:simulated`: scenarios, which always run, and as many new seeds as fit into three minutes together with them. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '@keelson/runtime'
import { planRun, readScenario, type Scenario, timeOf } from '@keelson/simulator'
import { JobQueue } from './job-queue.ts'
import { violationLine } from './print-run.ts'
import { replayCommand } from './replay-command.ts'
import { runInWorkers, type Work } from './worker-pool.ts'

const LIMIT_MS = 3 * 60_000
/** The last fault of a short scenario is over by then. */
const LONG_MS = 15 * 60_000
const SCENARIOS = fileURLToPath(new URL('scenarios', import.meta.url))
const PLAN = {
  days: 0.02,
  validators: 1,
  transactionsPerSec: 0.5,
  recoveryMinutes: 12,
  kinds: 'swarm',
  rate: 8,
  upgrades: 'swarm',
} as const
/** Every so many seeds have several sequencers, which are two or three. */
const CLUSTER_SEEDS = 4
/** Every so many seeds have an early final L1, so that heads become final and withdrawals are paid in the short run. */
const FINAL_SEEDS = 3
const FINALITY_BLOCKS = 16
/** Seven hexadecimal digits fit into a seed. */
const SEED_DIGITS = 7

interface Job {
  readonly scenario: Scenario
  readonly name: string
  readonly replay: string
}

interface RunningJob extends Job {
  readonly fromMs: number
}

/** All short scenarios, and one of the long ones. */
function scenarioJobs(first: number): readonly Job[] {
  const scenarios = readdirSync(SCENARIOS).sort().map(readJob)
  const isLong = ({ scenario: { faults } }: Job) => faults.some(({ atMs, durationMs }) => atMs + durationMs > LONG_MS)
  const long = scenarios.filter(isLong)
  return [...scenarios.filter((job) => !isLong(job)), long[first % long.length] as Job]
}

function* seedJobs(first: number): Generator<Job> {
  for (let seed = first; ; seed++) {
    const several = seed % CLUSTER_SEEDS === 0 ? { sequencers: 2 + ((seed / CLUSTER_SEEDS) % 2) } : {}
    const final = seed % FINAL_SEEDS === 0 ? { l1FinalityBlocks: FINALITY_BLOCKS } : {}
    const plan = { ...PLAN, ...several, ...final }
    yield { scenario: planRun({ seed, ...plan }), name: `seed ${seed}`, replay: replayCommand(seed, plan) }
  }
}

function readJob(file: string): Job {
  const path = join('test/simulated/scenarios', file)
  const scenario = readScenario(readFileSync(join(SCENARIOS, file), 'utf8'))
  return { scenario, name: file, replay: `npm run simulate -- --schedule ${path}` }
}

/** 1 outside a repository. */
function firstSeed(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return Number.parseInt(stdout?.slice(0, SEED_DIGITS) || '1', 16)
}

const clock = createSystemClock()
const beganMs = clock.monotonicMs()
const first = firstSeed()
const scenarios = scenarioJobs(first)
const queue = new JobQueue(scenarios, seedJobs(first), LIMIT_MS)
const running = new Map<Scenario, RunningJob>()
let passed = 0
let failed = 0

const next = (): Scenario | null => {
  const fromMs = clock.monotonicMs()
  const job = queue.next(fromMs - beganMs)
  if (job === null) return null
  running.set(job.scenario, { ...job, fromMs })
  return job.scenario
}

const work: Work = {
  next,
  done(scenario, { faults, simulatedMs, violations }) {
    const { name, replay, fromMs } = running.get(scenario) as RunningJob
    const tookMs = clock.monotonicMs() - fromMs
    queue.took(tookMs)
    console.log(`${name}: ${timeOf(simulatedMs)} simulated in ${Math.round(tookMs / 1000)} s, ${faults.length} faults`)
    for (const violation of violations) console.log(`  ${violationLine(violation)}`)
    if (violations.length === 0) passed++
    else {
      failed++
      console.log(`  ${replay}`)
    }
  },
  lost(scenario, how) {
    const { name, replay } = running.get(scenario) as RunningJob
    failed++
    console.log(`${name}: its process ended early, with ${how}`)
    console.log(`  ${replay}`)
  },
}
await runInWorkers(availableParallelism(), work)
const seeds = passed + failed - scenarios.length
console.log(`${scenarios.length} scenarios, then ${seeds} new seeds that fitted into ${LIMIT_MS / 1000} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
