/** `npm test`: installs and builds when stale, then runs the unit tests, the action tests, the contract tests and the fast end-to-end tests. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, ROOT } from './setup.mjs'

const SUITES = [
  { name: 'unit', spec: '{packages/*/src,test/conformance}/**/*.test.ts' },
  { name: 'actions', spec: 'test/actions/**/*.test.ts' },
  { name: 'contracts', spec: 'test/contracts/**/*.test.ts', exit: true },
  // wallet libraries keep sockets and timers of their own open; what was tested has ended by then
  { name: 'end to end', spec: 'test/e2e/**/*.test.ts', exit: true },
]

await prepare()
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'))
const total = { passed: 0, failed: 0 }
for (const suite of SUITES) {
  const counts = join(scratch, 'counts.json')
  rmSync(counts, { force: true })
  console.log(`\n== ${suite.name} ==`)
  const { status } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/mocha/bin/mocha.js'),
      '--reporter',
      'test/support/count-reporter.cjs',
      ...(suite.exit === true ? ['--exit'] : []),
      '--spec',
      suite.spec,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, KEELSON_TEST_COUNTS: counts } },
  )
  const result = readCounts(counts)
  total.passed += result.passed
  total.failed += result.failed
  if (status !== 0 && result.failed === 0) {
    console.error(`${suite.name}: mocha ended with code ${status} before it could count`)
    total.failed += 1
  }
  if (result.passed + result.failed === 0) {
    console.error(`${suite.name}: no test was found`)
    total.failed += 1
  }
}
rmSync(scratch, { recursive: true, force: true })
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
}
