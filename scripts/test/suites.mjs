import { readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../setup.mjs'

export const LANES = availableParallelism() + 1

/** Whole networks with third-party tools, in about a minute. */
const SHORT_NETWORKS = ['test/e2e/ports.test.ts', 'test/e2e/wallet.test.ts']

/**
 * A network with every role under load uses more than one core. Beside another network both fall behind and wait for themselves: then
 * these take 22 and 14 minutes instead of 3 each.
 */
const ALONE = ['test/e2e/kill.test.ts', 'test/e2e/runbooks.test.ts']

/**
 * In start order. `filesPerGroup` balances 0.5 s of CPU time per process against an even load; `cost` is the time per byte of
 * source relative to unit tests; `exit` ends processes whose libraries leave sockets and timers open.
 */
const SUITES = [
  { name: 'network', files: SHORT_NETWORKS, filesPerGroup: 2, cost: 16, lanes: 1, exit: true },
  { name: 'contracts', folders: ['test/contracts'], filesPerGroup: 1, cost: 6, exit: true },
  { name: 'actions', folders: ['test/actions'], filesPerGroup: 3, cost: 3 },
  {
    name: 'unit',
    folders: ['packages', 'scripts', 'test/alerts', 'test/conformance', 'test/fuzz', 'test/interop', 'test/simulated'],
    filesPerGroup: 10,
    cost: 1,
  },
  {
    name: 'rehearsals',
    folders: ['test/e2e'],
    except: SHORT_NETWORKS,
    filesPerGroup: 1,
    cost: 22,
    lanes: 2,
    exit: true,
    long: true,
    alone: ALONE,
  },
]

export const SUITE_NAMES = SUITES.map(({ name }) => name)
export const SHORT_SUITE_NAMES = SUITES.filter(({ long }) => !long).map(({ name }) => name)

export function listSuites(names = SUITE_NAMES, { onlyProperties = false } = {}) {
  const suites = SUITES.filter(({ name }) => names.includes(name)).map((suite) => {
    const { name, exit = false, lanes = LANES, folders = [], except = [], alone = [] } = suite
    const files = suite.files ?? folders.flatMap((folder) => [...testFiles(folder)]).filter((file) => !except.includes(file))
    if (files.length === 0) throw new Error(`the suite "${name}" has no *.test.ts file under ${folders.join(', ')}`)
    const wanted = onlyProperties ? files.filter(hasProperties) : files
    const groups = groupFiles(wanted, suite).map((group) => ({ ...group, isAlone: group.files.some((file) => alone.includes(file)) }))
    return { name, exit, lanes: Math.min(lanes, LANES), groups }
  })
  return suites.filter(({ groups }) => groups.length > 0)
}

function groupFiles(files, { filesPerGroup: size, cost }) {
  const groups = []
  for (let i = 0; i < files.length; i += size) {
    const some = files.slice(i, i + size)
    const name = some.length === 1 ? some[0] : `${some[0]} and ${some.length - 1} more`
    groups.push({ name, files: some, weight: cost * some.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0) })
  }
  return groups
}

const hasProperties = (file) => readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'")

function* testFiles(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'node_modules') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* testFiles(path)
    else if (entry.name.endsWith('.test.ts')) yield path
  }
}
