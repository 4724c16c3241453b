/** `npm run test:simulated`: scenarios, and as many new seeds as fit into three minutes. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '@keelson/runtime'
import { planRun, readScenario, type Scenario, timeOf } from '@keelson/simulator'
import { replayCommand } from './replay-command.ts'
import { runInWorkers } from './worker-pool.ts'

const LIMIT_MS = 3 * 60_000
/** The last fault of a short scenario is over by then. */
const LONG_MS = 15 * 60_000
const SCENARIOS = fileURLToPath(new URL('scenarios', import.meta.url))
const PLAN = { days: 0.02, validators: 1, transactionsPerSec: 0.5, recoveryMinutes: 12, kinds: 'swarm', rate: 8 } as const
/** Seven hexadecimal digits fit into a seed. */
const SEED_DIGITS = 7

interface Job {
  readonly scenario: Scenario
  readonly name: string
  readonly replay: string
}

/** All short scenarios, one of the long ones, then new seeds. They follow from the commit. */
function* jobs(): Generator<Job> {
  const first = firstSeed()
  const scenarios = readdirSync(SCENARIOS).sort().map(readJob)
  const isLong = ({ scenario: { faults } }: Job) => faults.some(({ atMs, durationMs }) => atMs + durationMs > LONG_MS)
  const long = scenarios.filter(isLong)
  yield* scenarios.filter((job) => !isLong(job))
  yield long[first % long.length] as Job
  for (let seed = first; ; seed++) yield { scenario: planRun({ seed, ...PLAN }), name: `seed ${seed}`, replay: replayCommand(seed, PLAN) }
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
const remaining = jobs()
const running = new Map<Scenario, Job & { readonly fromMs: number }>()
let longestMs = 0
let passed = 0
let failed = 0

const next = (): Scenario | null => {
  const fromMs = clock.monotonicMs()
  const { value: job } = remaining.next()
  if (job === undefined || fromMs - beganMs + longestMs > LIMIT_MS) return null
  running.set(job.scenario, { ...job, fromMs })
  return job.scenario
}

await runInWorkers(availableParallelism(), next, (scenario, { faults, simulatedMs, violations }) => {
  const { name, replay, fromMs } = running.get(scenario) as Job & { readonly fromMs: number }
  const tookMs = clock.monotonicMs() - fromMs
  longestMs = Math.max(longestMs, tookMs)
  console.log(`${name}: ${timeOf(simulatedMs)} simulated in ${Math.round(tookMs / 1000)} s, ${faults.length} faults`)
  for (const { atMs, rule, text } of violations) console.log(`  VIOLATION after ${timeOf(atMs)}: ${rule}: ${text}`)
  if (violations.length === 0) passed++
  else {
    failed++
    console.log(`  ${replay}`)
  }
})
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
