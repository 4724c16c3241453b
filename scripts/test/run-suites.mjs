import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleTests } from './bundle-tests.mjs'
import { endGroups, runGroup } from './run-group.mjs'
import { LANES } from './suites.mjs'
import { TestProgress } from './test-progress.mjs'

const MAX_SLOWEST = 15

/**
 * Resolves with `{passed, failed, largest, slowest}`; `largest` is the group with the highest peak memory, `slowest` names the groups
 * that ran longest, with their milliseconds.
 */
export async function runSuites(suites) {
  const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'))
  const bundle = await bundleTests(suites.flatMap(({ groups }) => groups.flatMap(({ files }) => files)))
  const cleanUp = () => {
    endGroups()
    bundle.remove()
    rmSync(scratch, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  const progress = new TestProgress(suites)
  const runs = suites.map((suite) => new SuiteRun(suite, progress))
  const total = { passed: 0, failed: 0, largest: { name: '', peakRssBytes: 0 } }
  const durations = []

  async function lane() {
    for (;;) {
      const run = runs.find((one) => one.canStart())
      if (run === undefined) return
      const group = run.take()
      const startedMs = performance.now()
      const result = await runGroup(group, { bundle, scratch, exit: run.exit, onTest: () => progress.testDone() })
      durations.push({ name: group.name, ms: performance.now() - startedMs })
      total.passed += result.passed
      total.failed += result.failed
      if (result.peakRssBytes > total.largest.peakRssBytes) total.largest = { name: group.name, peakRssBytes: result.peakRssBytes }
      if (result.failed > 0) {
        progress.clear()
        console.log(`\n${group.name}: ${result.passed} passed, ${result.failed} failed\n${result.output}`)
      }
      if (result.passed + result.failed === 0) {
        progress.clear()
        console.log(`${group.name}: no test ran, because ${result.missing.join(' and ')} is not installed`)
      }
      run.done(group, result)
    }
  }

  try {
    await Promise.all(Array.from({ length: LANES }, lane))
    for (const run of runs) run.beginAlone()
    await lane()
  } finally {
    progress.stop()
  }
  const slowest = durations.sort((a, b) => b.ms - a.ms).slice(0, MAX_SLOWEST)
  return { ...total, slowest }
}

class SuiteRun {
  exit
  #suite
  #progress
  /** Groups that wait; those that run beside nothing else come last. */
  #waiting
  #alone
  #running = 0
  #started = false
  #counts = { passed: 0, failed: 0 }

  constructor(suite, progress) {
    this.exit = suite.exit
    this.#suite = suite
    this.#progress = progress
    const sorted = [...suite.groups].sort((a, b) => b.weight - a.weight)
    this.#waiting = sorted.filter(({ isAlone }) => !isAlone)
    this.#alone = sorted.filter(({ isAlone }) => isAlone)
  }

  /** To be called when nothing runs. */
  beginAlone() {
    this.#waiting.push(...this.#alone.splice(0))
  }

  canStart() {
    return this.#waiting.length > 0 && this.#running < this.#suite.lanes
  }

  take() {
    if (!this.#started) this.#progress.suiteStarted(this.#suite.name)
    this.#started = true
    this.#running++
    return this.#waiting.shift()
  }

  done(group, { passed, failed }) {
    this.#running--
    this.#counts.passed += passed
    this.#counts.failed += failed
    this.#progress.groupDone(group)
    if (this.#waiting.length === 0 && this.#alone.length === 0 && this.#running === 0)
      this.#progress.suiteDone(this.#suite.name, this.#counts)
  }
}
