/** The suites of `npm test` and the grouping of their files: one process per group. */
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../setup.mjs'

const CORES = availableParallelism()

/**
 * `filesPerGroup` balances the cost of a process (about 2 s of CPU to load the packages) against an even load of the lanes.
 * Contract tests share one anvil per file; networks of the end-to-end tests mostly wait for the next block.
 */
const SUITES = [
  { name: 'unit', folders: ['packages', 'test/conformance', 'test/fuzz'], filesPerGroup: 12, cost: 1, lanes: CORES },
  { name: 'actions', folders: ['test/actions'], filesPerGroup: 3, cost: 3, lanes: CORES },
  // Foreign libraries keep sockets and timers open after the last test, so these processes exit explicitly.
  { name: 'contracts', folders: ['test/contracts'], filesPerGroup: 2, cost: 6, lanes: CORES, exit: true },
  { name: 'end to end', folders: ['test/e2e'], filesPerGroup: 1, cost: 22, lanes: Math.min(3, CORES), exit: true },
]

/** Returns the suites with their groups `{name, files, weight}`; throws when a suite has no test file. */
export function listSuites() {
  return SUITES.map((suite) => {
    const files = suite.folders.flatMap((folder) => [...testFiles(folder)])
    if (files.length === 0) throw new Error(`the suite "${suite.name}" has no *.test.ts file under ${suite.folders.join(', ')}`)
    return { exit: false, ...suite, groups: groupFiles(files, suite) }
  })
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

function* testFiles(folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'node_modules') continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* testFiles(path)
    else if (entry.name.endsWith('.test.ts')) yield path
  }
}
