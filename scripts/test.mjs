/**
 * `npm test`: installs and builds when stale, then runs every test and ends with a line `N passed, N failed`.
 * Each group of files runs in its own process, with the concurrency that the suite allows. A passing group prints
 * nothing; the output of a failing one appears when it ends.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from './setup.mjs'
import { runGroup } from './test/run-group.mjs'
import { listSuites } from './test/suites.mjs'
import { TestProgress } from './test/test-progress.mjs'

await prepare()
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'))
const suites = listSuites()
const progress = new TestProgress(suites)
const total = { passed: 0, failed: 0 }

function report(group, result) {
  total.passed += result.passed
  total.failed += result.failed
  if (result.failed === 0) return
  progress.clear()
  console.log(`\n${group.name}: ${result.passed} passed, ${result.failed} failed\n${result.output}`)
}

async function runSuite(suite) {
  const waiting = [...suite.groups]
  const lane = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(group, { scratch, exit: suite.exit, onTest: () => progress.testDone(suite) })
      progress.groupDone(suite, group)
      report(group, result)
    }
  }
  await Promise.all(Array.from({ length: suite.lanes }, lane))
}

try {
  for (const suite of suites) {
    progress.suiteStarted(suite)
    const before = { ...total }
    await runSuite(suite)
    progress.suiteDone(suite, { passed: total.passed - before.passed, failed: total.failed - before.failed })
  }
} finally {
  progress.stop()
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
