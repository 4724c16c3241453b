/** `npm test`, `npm run test:all` and `npm run test:SUITE`. Prints `N passed, N failed` and the output of failing groups. */
import { prepare } from './setup.mjs'

const USAGE = `usage: npm test [-- --all | --properties | SUITE...]
  without arguments  every suite except the rehearsals, which take longer than all others together
  --all              every suite (npm run test:all)
  --properties       the files with property tests; KEELSON_PROPERTY_SEED=N sets their seed, npm run fuzz draws one
  SUITE              only the named ones of network, contracts, actions, unit, rehearsals`

const started = Date.now()
const args = process.argv.slice(2)
if (args.includes('--help')) {
  console.log(USAGE)
  process.exit(0)
}
await prepare()
const { listSuites, SHORT_SUITE_NAMES, SUITE_NAMES } = await import('./test/suites.mjs')
const { runSuites } = await import('./test/run-suites.mjs')
const { duration } = await import('./test/test-progress.mjs')

const unknown = args.find((name) => !['--all', '--properties', ...SUITE_NAMES].includes(name))
if (unknown !== undefined) {
  console.error(`npm test: there is no suite or option "${unknown}"\n${USAGE}`)
  process.exit(2)
}
const named = args.filter((name) => !name.startsWith('--'))
const names = args.includes('--all') ? SUITE_NAMES : named.length > 0 ? named : SHORT_SUITE_NAMES

const { passed, failed, largest, slowest } = await runSuites(listSuites(names, { onlyProperties: args.includes('--properties') }))
console.log(`\nthe slowest: ${slowest.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ')}`)
console.log(
  `${duration(Date.now() - started)} in total; the largest process used ${Math.round(largest.peakRssBytes / 2 ** 20)} MiB (${largest.name})`,
)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
