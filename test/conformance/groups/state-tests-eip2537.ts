/** State tests of the BLS12-381 precompiles. */
import assert from 'node:assert/strict'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { loadStateTests } from './state-tests.ts'

const ARCHIVE = 'EIPTests-StateTests-stEIP2537.tar.gz'
const LEAST_CASES = 500

export const stateTestsEip2537: ConformanceGroup = {
  name: 'state-tests-eip2537',
  load(vectors): ConformanceCase[] {
    const cases = loadStateTests(vectors, ARCHIVE)
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
