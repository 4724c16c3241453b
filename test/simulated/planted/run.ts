/** `npm run simulate:planted`: how many seeds find each planted bug. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '@keelson/primitives'
import { copySources } from './copy-sources.ts'
import { type Edit, PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts'

const ALL = PLANTED_BUGS.map(({ name }) => name)

const USAGE = `usage: npm run simulate:planted -- [--bugs NAME,...] [option of npm run simulate]...

Makes each bug in a copy of the sources, runs seeds there, and counts those that break a rule. Bugs that need other options than
the default are below a line with these; the options given here have precedence. The first row of each group is without a bug.
Bugs: ${ALL.join(', ')}

example:
  npm run simulate:planted -- --seeds 1..20 --days 0.03 --validators 1 --fault-rate 8 --recovery 15 --workers 2`

const DEFAULTS = ['--seeds', '1..10', '--days', '0.03', '--validators', '1', '--faults', 'swarm', '--fault-rate', '8', '--recovery', '15']
const MAX_OUTPUT_BYTES = 256 * 2 ** 20
const NAME_WIDTH = 30
/** Exit codes of `npm run simulate`, and of a program that SIGINT ended. */
const RULE_BROKEN = 1
const INTERRUPTED = 130

interface Line {
  readonly seed?: number
  readonly violations: readonly { readonly rule: string }[]
}

/** Returns the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const [names, options] = argv[0] === '--bugs' ? [argv[1]?.split(',') ?? [], argv.slice(2)] : [ALL, argv]
  const unknown = names.find((name) => !ALL.includes(name))
  if (unknown !== undefined) throw new Error(`--bugs: expected some of ${ALL.join(', ')}; got ${unknown}`)
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort())
  const folder = mkdtempSync(join(tmpdir(), 'keelson-planted-'))
  try {
    copySources(folder)
    process.stdout.write(`${'bug'.padEnd(NAME_WIDTH)}found by\n`)
    const chosen = PLANTED_BUGS.filter(({ name }) => names.includes(name))
    for (const own of new Set(chosen.map(optionsOf))) {
      if (own !== '') process.stdout.write(`with ${own}\n`)
      const all = [...own.split(' ').filter((option) => option !== ''), ...options]
      process.stdout.write(row('none', await runSeeds(folder, all, interrupted.signal)))
      for (const bug of chosen.filter((one) => optionsOf(one) === own)) {
        const repair = plant(folder, bug.edits)
        process.stdout.write(row(bug.name, await runSeeds(folder, all, interrupted.signal)))
        repair()
      }
    }
  } catch (error) {
    if (interrupted.signal.aborted) return INTERRUPTED
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
  return 0
}

function optionsOf({ options = [] }: PlantedBug): string {
  return options.join(' ')
}

/** Returns the function that takes the changes back. */
function plant(folder: string, edits: readonly Edit[]): () => void {
  const before = edits.map(({ file }) => [join(folder, file), readFileSync(join(folder, file), 'utf8')] as const)
  for (const { file, find, replace } of edits) {
    const path = join(folder, file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      source.replace(find, () => replace),
    )
  }
  return () => {
    for (const [path, source] of before) writeFileSync(path, source)
  }
}

/** Rejects with an AbortError, and ends the runs, when the signal is aborted. */
async function runSeeds(folder: string, options: readonly string[], signal: AbortSignal): Promise<readonly Line[]> {
  const args = ['--import=tsx', 'test/simulated/run.ts', ...DEFAULTS, ...options, '--json']
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES, signal }, (error, stdout, stderr) => {
      if (error === null || error.code === RULE_BROKEN) resolve(stdout)
      else reject(error.name === 'AbortError' ? error : new Error(stderr.trim() || error.message))
    })
  })
  const lines = output.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Line).filter(({ seed }) => seed !== undefined)
}

function row(name: string, lines: readonly Line[]): string {
  const found = lines.filter(({ violations }) => violations.length > 0)
  const counts = new Map<string, number>()
  for (const rule of found.flatMap(({ violations }) => [...new Set(violations.map((violation) => violation.rule))])) {
    counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  const rules = [...counts].sort(([, a], [, b]) => b - a).map(([rule, seeds]) => `${rule} (${seeds})`)
  return `${name.padEnd(NAME_WIDTH)}${found.length} of ${lines.length} seeds${rules.length > 0 ? `: ${rules.join(', ')}` : ''}\n`
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n--help has examples.\n`)
  process.exitCode = 2
}
