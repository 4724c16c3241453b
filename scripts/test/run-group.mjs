import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from '../setup.mjs'

const MOCHA = join(ROOT, 'node_modules/mocha/lib/cli/cli.js')
const REPORTER = join(ROOT, 'test/support/count-reporter.cjs')
const { timeout } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'))
const MAX_OUTPUT_BYTES = 4 * 2 ** 20
const POLL_MS = 500
const running = new Set()

/**
 * Returns `{passed, failed, peakRssBytes, missing, output}`. A process without a report counts as one failure, and so do files
 * without tests, unless `missing` names the programs that they need.
 */
export async function runGroup(group, { bundle, scratch, exit, onTest }) {
  const journal = join(scratch, createHash('sha256').update(group.name).digest('hex').slice(0, 16))
  writeFileSync(journal, '')
  const child = spawn(
    process.execPath,
    [
      ...['--enable-source-maps', `--import=${pathToFileURL(bundle.seed)}`, MOCHA, '--no-config', '--no-package'],
      ...['--timeout', String(timeout), '--forbid-only', '--forbid-pending', '--reporter', REPORTER],
      ...(exit ? ['--exit'] : []),
      ...group.files.flatMap((file) => ['--spec', bundle.bundled(file)]),
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, KEELSON_TEST_JOURNAL: journal } },
  )
  running.add(child)
  const output = collectOutput(child)
  let seen = 0
  const countNew = () => {
    for (const size = statSync(journal).size; seen < size; seen++) onTest()
  }
  const timer = setInterval(countNew, POLL_MS)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(timer)
  running.delete(child)
  countNew()
  const counts = readCounts(`${journal}.json`)
  const isExplained = counts.passed > 0 || counts.missing.length > 0
  if (counts.failed > 0 || (code === 0 && isExplained)) return { ...counts, output: output() }
  const reason = code === 0 ? 'mocha found no test in these files' : `mocha exited with code ${code} before its report`
  return { ...counts, failed: 1, output: `${output()}\n${reason}` }
}

export function endGroups() {
  for (const child of running) child.kill('SIGTERM')
}

function collectOutput(child) {
  const pieces = []
  let bytes = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      bytes += piece.length
      if (bytes <= MAX_OUTPUT_BYTES) pieces.push(piece)
    })
  }
  return () => Buffer.concat(pieces).toString() + (bytes > MAX_OUTPUT_BYTES ? `\n(${bytes} bytes of output, truncated)` : '')
}

function readCounts(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 0, peakRssBytes: 0, missing: [] }
}
