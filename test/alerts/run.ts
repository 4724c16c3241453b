/** `npm run test:alerts`: runs nothing without Prometheus, as `npm run test:container` does without a container engine. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.ts'
import { readRuleFile } from '../../scripts/metrics/rules.ts'
import { runFaults } from './network.ts'
import { readOptions, USAGE } from './options.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FOLDER = join(ROOT, 'config', 'prometheus')
const COMMANDS = [
  ['check', 'rules', 'alerts.yml'],
  ['check', 'config', 'prometheus.yml'],
  ['test', 'rules', 'alerts.test.yml'],
]

function isMissing(command: string): boolean {
  return spawnSync(command, ['--version']).error !== undefined
}

function runPromtool(promtool: string, args: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: FOLDER, encoding: 'utf8' })
  if (status !== 0) console.log(stdout + stderr)
  console.log(`${status === 0 ? 'ok   ' : 'FAIL '} | promtool ${args.join(' ')}`)
  return status === 0
}

/** As rules, because promtool checks no single expressions. */
function checkDashboards(promtool: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-dashboards-'))
  const file = join(folder, 'dashboards.yml')
  const expressions = DASHBOARDS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([, expression]) => expression)))
  const rules = expressions.map((expression, number) => ({ record: `query:${number}`, expr: expression.replaceAll('$instance', '.*') }))
  try {
    writeFileSync(file, stringify({ groups: [{ name: 'dashboards', rules }] }))
    return runPromtool(promtool, ['check', 'rules', file])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === null) return console.log(USAGE)
  const verdicts: boolean[] = []
  if (isMissing(options.promtool)) console.log(`No rule was tested: ${options.promtool} is missing (Debian: apt-get install prometheus).`)
  else verdicts.push(...COMMANDS.map((args) => runPromtool(options.promtool, args)), checkDashboards(options.promtool))
  if (isMissing(options.prometheus))
    console.log(`No fault was caused: ${options.prometheus} is missing (Debian: apt-get install prometheus).`)
  else if (!options.rulesOnly) {
    console.log('\n      | fault | alert | fired after | sentence')
    const results = await runFaults(options, readRuleFile(ROOT), console.log)
    verdicts.push(...results.map(({ seconds }) => seconds !== null))
  }
  const failed = verdicts.filter((passed) => !passed).length
  console.log(`${verdicts.length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
