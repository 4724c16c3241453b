/** `npm test`: installs and builds when stale, then runs the unit tests, the action tests, the contract tests and the end-to-end tests. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, ROOT } from './setup.mjs'

const SUITES = [
  { name: 'unit', spec: '{packages/*/src,test/conformance}/**/*.test.ts' },
  { name: 'actions', spec: 'test/actions/**/*.test.ts' },
  { name: 'contracts', spec: 'test/contracts/**/*.test.ts', exit: true },
  // wallet libraries keep sockets and timers of their own open; what was tested has ended by then.
  // Networks mostly wait for the next block: their files run side by side, each with ports of its own.
  { name: 'end to end', folder: 'test/e2e', exit: true, lanes: Math.min(3, availableParallelism()) },
]
const MAX_CAPTURED_BYTES = 4 * 2 ** 20

await prepare()
const scratch = mkdtempSync(join(tmpdir(), 'keelson-test-'))
const total = { passed: 0, failed: 0 }
for (const suite of SUITES) {
  console.log(`\n== ${suite.name} ==`)
  const before = total.passed + total.failed
  if (suite.lanes === undefined) await run(suite, suite.spec, 'inherit')
  else await runFilesSideBySide(suite)
  if (total.passed + total.failed === before) {
    console.error(`${suite.name}: no test was found`)
    total.failed += 1
  }
}
rmSync(scratch, { recursive: true, force: true })
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

async function runFilesSideBySide(suite) {
  const files = readdirSync(join(ROOT, suite.folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${suite.folder}/${name}`)
  const lane = async () => {
    for (let file = files.shift(); file !== undefined; file = files.shift()) await run(suite, file, 'pipe')
  }
  await Promise.all(Array.from({ length: suite.lanes }, lane))
}

/** One mocha over the files of `spec`; with 'pipe' its output appears in one piece at its end. */
async function run(suite, spec, output) {
  const began = Date.now()
  const counts = join(scratch, `${spec.replaceAll(/\W/g, '-')}.json`)
  const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js')
  const child = spawn(
    process.execPath,
    [mocha, '--reporter', 'test/support/count-reporter.cjs', ...(suite.exit === true ? ['--exit'] : []), '--spec', spec],
    { cwd: ROOT, stdio: ['ignore', output, output], env: { ...process.env, KEELSON_TEST_COUNTS: counts } },
  )
  const pieces = []
  let bytes = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      bytes += piece.length
      if (bytes <= MAX_CAPTURED_BYTES) pieces.push(piece)
    })
  }
  const status = await new Promise((resolve) => child.once('close', resolve))
  if (output === 'pipe') console.log(`${spec}, ${Math.round((Date.now() - began) / 1000)} s\n${Buffer.concat(pieces).toString()}`)
  const { passed, failed } = readCounts(counts)
  total.passed += passed
  total.failed += failed
  if (status !== 0 && failed === 0) {
    console.error(`${spec}: mocha ended with code ${status} before it could count`)
    total.failed += 1
  }
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0 }
  }
}
