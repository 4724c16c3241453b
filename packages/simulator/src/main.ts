/** `npm run simulate`. */
import { createNativeCrypto } from '@keelson/node/assembly'
import { createLogger, createSilentLogger, createSystemClock, createSystemRandom } from '@keelson/runtime'
import { readOptions, type SimulateOptions, USAGE } from './options.ts'
import { buildL2Start } from './roles/rollup-network.ts'
import { type RunResult, simulate } from './simulate.ts'

/** 15 January 2027. */
const START_MS = 1_800_000_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const US_PER_MS = 1_000
const NEW_SEEDS = 1_000_000

async function main(options: SimulateOptions): Promise<number> {
  const crypto = createNativeCrypto()
  const l2 = await buildL2Start(START_MS / 1000, crypto)
  const say = (line: string) => {
    if (!options.json) process.stdout.write(`${line}\n`)
  }
  say(`seed ${options.seed}, ${options.days} days, ${options.validators} validators, ${options.transactionsPerSec} transactions a second`)
  const before = process.cpuUsage()
  const clock = createSystemClock()
  const beganMs = clock.monotonicMs()
  const sink = { terminal: false, write: (line: string) => void process.stderr.write(`${line}\n`) }
  const result = await simulate({
    ...options,
    crypto,
    l2,
    startMs: START_MS,
    logger: ({ clock, name }) =>
      options.log === 'silent' ? createSilentLogger() : createLogger({ clock, name, level: options.log, format: 'human', sink }),
    onHour(world, judges) {
      const hours = (world.simulation.nowMs - START_MS) / HOUR_MS
      const heads = world.nodes[0]?.running?.consensus.driver.heads
      const at = heads == null ? 'no heads' : `unsafe ${heads.unsafe.number}, safe ${heads.safe.number}, final ${heads.finalized.number}`
      say(`${hours.toFixed(1).padStart(6)} h  ${at}, L1 ${world.l1.head.header.number}, ${judges.violations.length} violations`)
    },
  })
  const used = process.cpuUsage(before)
  const processorMs = (used.user + used.system) / US_PER_MS
  report(options, result, { processorMs, realMs: clock.monotonicMs() - beganMs }, say)
  return result.violations.length === 0 ? 0 : 1
}

/** The speed-up is simulated time by processor time of this process, garbage collection included. */
function report(
  { seed, days, json }: SimulateOptions,
  result: RunResult,
  { processorMs, realMs }: { readonly processorMs: number; readonly realMs: number },
  say: (line: string) => void,
): void {
  const speedup = Math.round((result.simulatedMs / processorMs) * 10) / 10
  const { traceHash, events, violations, blocks, transactions, proposals, faults } = result
  if (json) {
    process.stdout.write(`${JSON.stringify({ seed, days, traceHash, speedup, events, violations })}\n`)
    return
  }
  for (const { atMs, kind, story, durationMs } of faults)
    say(`${inHours(atMs)} h  ${kind}: ${story}, for ${Math.round(durationMs / 1000)} s`)
  say(`blocks ${blocks}, transactions ${transactions} accepted, proposals ${proposals}, faults ${faults.length}, events ${events}`)
  say(
    `simulated ${(result.simulatedMs / DAY_MS).toFixed(3)} days in ${(realMs / 1000).toFixed(1)} s, ` +
      `${(processorMs / 1000).toFixed(1)} s of processor time: ${speedup} times real time`,
  )
  say(`trace ${traceHash}`)
  for (const { atMs, rule, text } of violations) say(`VIOLATION after ${inHours(atMs)} h: ${rule}: ${text}`)
  if (violations.length === 0) say('no rule was broken')
}

function inHours(ms: number): string {
  return (ms / HOUR_MS).toFixed(2)
}

try {
  const options = readOptions(process.argv.slice(2), () => Math.floor(createSystemRandom().next() * NEW_SEEDS))
  if (options === null) process.stdout.write(`${USAGE}\n`)
  else process.exitCode = await main(options)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
