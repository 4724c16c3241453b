import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { createProfiler, NO_PROFILER } from './cpu-profile.ts'
import { runDerivationBench } from './derivation/derivation-bench.ts'
import { runPipelineBench } from './derivation/pipeline-bench.ts'
import { pipelineReport } from './derivation/pipeline-report.ts'
import { BENCH_ENGINES, createOwnEngines, readEngineNames } from './evm/engines/choose-engines.ts'
import { evmReport } from './evm/evm-report.ts'
import { benchEvm } from './evm/run.ts'
import { attackReport, runAttackBench } from './execution/attack-bench.ts'
import { runExecutionBench } from './execution/execution-bench.ts'
import { describeMachine, machineLine } from './machine.ts'
import { derivationReport, executionReport, profileReport } from './report.ts'

const USAGE =
  'usage: npm run bench -- [--only exec|evm|derivation|pipeline|follower|worst] [--evm ENGINE,...] [--work TEXT] [--rounds N] [--compared N] [--accounts N] [--state FOLDER] [--blocks N] [--json FILE] [--profile]'
const HOTTEST = 15

function usageError(message: string): never {
  console.error(`${message}\n${USAGE}`)
  process.exit(2)
}

function countOption(name: string, text: string, least: number): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < least) usageError(`--${name} ${text}: expected a whole number, at least ${least}`)
  return count
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        rounds: { type: 'string' },
        compared: { type: 'string', default: '3' },
        accounts: { type: 'string', default: '1000000' },
        state: { type: 'string', default: join(tmpdir(), 'keelson-bench-state') },
        evm: { type: 'string' },
        work: { type: 'string', default: '' },
        blocks: { type: 'string', default: '2000' },
        json: { type: 'string' },
        profile: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error))
  }
}

const values = readOptions()
const PARTS = ['exec', 'evm', 'pipeline', 'follower', 'worst']
const SELECTIONS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(PARTS.map((part) => [part, [part]])),
  derivation: ['pipeline', 'follower'],
}
const selected = values.only === undefined ? PARTS : SELECTIONS[values.only]
if (selected === undefined) usageError(`--only ${values.only}: expected ${Object.keys(SELECTIONS).join(', ')}`)
const runs = (part: string) => selected.includes(part)
const rounds = countOption('rounds', values.rounds ?? (selected.includes('exec') ? '20' : '3'), 1)
const compared = countOption('compared', values.compared, 0)
const accounts = countOption('accounts', values.accounts, 4_000 * (rounds + 1))
const blocks = countOption('blocks', values.blocks, 1)

const evmNames = readEngineNames(values.evm)
if (evmNames === null) usageError(`--evm ${values.evm}: expected names out of ${BENCH_ENGINES.join(', ')}, separated by commas`)

const machine = describeMachine()
const began = performance.now()
const progress = (line: string) => console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${line}`)
const profiler = values.profile ? await createProfiler() : NO_PROFILER
const crypto = createNativeCrypto()
const directory = mkdtempSync(join(tmpdir(), 'keelson-bench-'))
console.log(machineLine(machine))
try {
  const common = { directory, crypto, profiler, progress }
  // Runs first: a large state makes garbage collection expensive.
  const pipeline = runs('pipeline') ? await runPipelineBench(common) : null
  if (pipeline !== null) console.log(pipelineReport(pipeline))
  const derivation = runs('follower') ? await runDerivationBench({ ...common, blocks }) : null
  if (derivation !== null) console.log(derivationReport(derivation))
  const execution = runs('exec') ? await runExecutionBench({ ...common, accounts, rounds, compared, stateFolder: values.state }) : null
  if (execution !== null) console.log(executionReport(execution, { accounts, rounds, compared }))
  const ownEngines = runs('worst') ? await createOwnEngines(evmNames, crypto) : []
  const attacks = runs('worst') ? await runAttackBench(ownEngines, values.work, progress) : null
  if (attacks !== null) console.log(attackReport(attacks))
  const results = runs('evm') ? await benchEvm({ names: evmNames ?? BENCH_ENGINES, rounds, crypto, progress, work: values.work }) : null
  if (results !== null) console.log(evmReport(results, rounds))
  for (const workload of profiler.workloads) console.log(profileReport(workload, profiler.hottest(workload, HOTTEST)))
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`took ${seconds} s`)
  if (values.json !== undefined) {
    const options = { rounds, compared, accounts, blocks }
    writeFileSync(
      values.json,
      `${JSON.stringify({ machine, options, seconds, execution, pipeline, derivation, attacks, results }, null, 2)}\n`,
    )
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
