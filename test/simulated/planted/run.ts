/** `npm run simulate:planted`: how many seeds find each planted bug. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

interface Line {
  readonly seed?: number
  readonly violations: readonly { readonly rule: string }[]
}

function main(argv: readonly string[]): number {
  if (argv.includes('--help')) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const [names, options] = argv[0] === '--bugs' ? [argv[1]?.split(',') ?? [], argv.slice(2)] : [ALL, argv]
  const unknown = names.find((name) => !ALL.includes(name))
  if (unknown !== undefined) throw new Error(`there is no bug ${unknown}\n\n${USAGE}`)
  const folder = mkdtempSync(join(tmpdir(), 'keelson-planted-'))
  try {
    copySources(folder)
    process.stdout.write(`${'bug'.padEnd(NAME_WIDTH)}found by\n`)
    const chosen = PLANTED_BUGS.filter(({ name }) => names.includes(name))
    for (const own of new Set(chosen.map(optionsOf))) {
      if (own !== '') process.stdout.write(`with ${own}\n`)
      const all = [...own.split(' ').filter((option) => option !== ''), ...options]
      process.stdout.write(row('none', runSeeds(folder, all)))
      for (const bug of chosen.filter((one) => optionsOf(one) === own)) {
        const repair = plant(folder, bug.edits)
        process.stdout.write(row(bug.name, runSeeds(folder, all)))
        repair()
      }
    }
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

function runSeeds(folder: string, options: readonly string[]): readonly Line[] {
  const args = ['--import=tsx', 'test/simulated/run.ts', ...DEFAULTS, ...options, '--json']
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' })
  if (status !== 0 && status !== 1) throw new Error(stderr)
  const lines = stdout.trim().split('\n')
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
  process.exitCode = main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
