import assert from 'node:assert/strict'
import { KNOWN_FAILURES } from './known-failures.ts'
import { printResults } from './print-results.ts'
import { Tally } from './tally.ts'

const NOTHING_PASSED = { passed: {}, add: () => undefined }
const GROUP = 'execution-apis'
const KNOWN = Object.keys(KNOWN_FAILURES[GROUP] ?? {}).find((id) => !id.includes('*')) as string

function run(cases: Readonly<Record<string, string | null>>, passed: Readonly<Record<string, readonly string[]>> = {}) {
  const lines: string[] = []
  const tally = new Tally([GROUP], { ...NOTHING_PASSED, passed }, (line) => lines.push(line))
  tally.take({ kind: 'loaded', group: GROUP, ids: Object.keys(cases), taken: [], leftOut: [] })
  for (const [id, failure] of Object.entries(cases)) tally.take({ kind: 'case', group: GROUP, id, failure, resumed: false, elapsedMs: 1 })
  printResults(tally, (line) => lines.push(line))
  return lines
}

describe('the result of a conformance run', () => {
  it('includes known failures in its last line', () => {
    assert.equal(run({ a: null, b: 'wrong', [KNOWN]: 'wrong too' }).at(-1), '\n1 passed, 1 failed, 1 known')
  })

  it('is a failure when a known failure passes', () => {
    const lines = run({ [KNOWN]: null })
    assert.equal(lines.at(-1), '\n0 passed, 1 failed, 0 known')
    assert.match(lines[0] ?? '', /take it off known-failures.json/)
  })

  it('is no failure when another folder lacks the cases of known failures', () => {
    const lines = run({ a: null })
    assert.equal(lines.at(-1), '\n1 passed, 0 failed, 0 known')
    assert.ok(lines.some((line) => /known-failures.json name no case of this folder/.test(line)))
  })

  it('is a failure when the file of --resume names a missing case', () => {
    assert.match(run({ a: null }, { [GROUP]: ['gone'] })[0] ?? '', /names a case that is not there: gone/)
  })
})
