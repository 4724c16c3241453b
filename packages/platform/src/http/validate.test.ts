import assert from 'node:assert/strict'
import { z } from 'zod'
import { InvalidRequest, type ValidationIssue } from './api-error.ts'
import { validateParts } from './validate.ts'

/** Far more than judging takes on a busy machine, and far less than anything that grows with the square of what was sent. */
const SOON_MS = 2_000

describe('judging a request', function () {
  this.timeout(20_000)
  function issuesOf(schema: z.ZodType, sent: unknown): readonly ValidationIssue[] {
    try {
      validateParts([{ name: 'body', schema, sent }])
    } catch (error) {
      if (error instanceof InvalidRequest) return error.issues
      throw error
    }
    return []
  }
  function soon<T>(work: () => T): T {
    const began = performance.now()
    const result = work()
    const tookMs = performance.now() - began
    assert.ok(tookMs < SOON_MS, `took ${Math.round(tookMs)} ms`)
    return result
  }

  it('is not held up by a number of millions of digits', () => {
    const schema = z.object({ ratio: z.number() })
    const digits = '1'.repeat(5_000_000)
    for (const ratio of [`${digits}x`, `1.${digits}x`, `1e${digits}x`, `${' '.repeat(5_000_000)}x`])
      assert.deepEqual(
        soon(() => issuesOf(schema, { ratio })).map(({ type }) => type),
        ['float_parsing'],
      )
    for (const ratio of ['1', '1.', '1.5', '.5', '-1e3', ' +1.5E-2 ']) assert.deepEqual(issuesOf(schema, { ratio }), [])
    for (const ratio of ['', '.', '1e', 'e1', '1..5', '0x10']) assert.equal(issuesOf(schema, { ratio })[0]?.type, 'float_parsing')
  })
})
