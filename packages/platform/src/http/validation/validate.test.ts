import assert from 'node:assert/strict'
import { z } from 'zod'
import { expectLittleCpu } from '../../../../../test/support/cpu-time.ts'
import { InvalidRequest, type ValidationIssue } from '../api-error.ts'
import { validateParts } from './validate.ts'

describe('validation of a request', () => {
  function issuesOf(schema: z.ZodType, sent: unknown): readonly ValidationIssue[] {
    try {
      validateParts([{ name: 'body', schema, sent, isText: true }])
    } catch (error) {
      if (error instanceof InvalidRequest) return error.issues
      throw error
    }
    return []
  }
  function soon<T>(work: () => T): T {
    const judge = expectLittleCpu()
    const result = work()
    judge('judging it')
    return result
  }

  it('is fast for a number of millions of digits', () => {
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

  it('is linear in the number of values written as text', () => {
    const sent = { x: Array(19_000).fill('1') }
    assert.deepEqual(
      soon(() => validateParts([{ name: 'body', schema: z.object({ x: z.array(z.int()) }), sent, isText: true }])),
      [{ x: Array(19_000).fill(1) }],
    )
    assert.equal(sent.x[0], '1')
  })

  it('reports at most a hundred issues', () => {
    const unknown = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`a${i}`, 1]))
    const issues = soon(() => issuesOf(z.strictObject({}), unknown))
    assert.deepEqual([issues.length, issues[99]?.type, issues[99]?.loc], [100, 'extra_forbidden', ['body', 'a99']])
    assert.equal(soon(() => issuesOf(z.object({ x: z.array(z.object({})) }), { x: Array(19_000).fill(0) })).length, 100)
    const alternatives = z.union([z.array(z.string()), z.array(z.boolean())])
    assert.equal(soon(() => issuesOf(alternatives, Array(19_000).fill(0))).length, 100)
  })

  it('repeats a bounded part of the input', () => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`field${i}`, z.string()]))
    const sent = { [`${'k'.repeat(1_000_000)}`]: 1, list: Array(50).fill(Array(50).fill('v'.repeat(5_000))) }
    const issues = soon(() => issuesOf(z.object(fields), sent))
    assert.equal(issues.length, 60)
    for (const { input } of issues) assert.ok(JSON.stringify(input).length < 30_000)
  })

  it('refuses null characters and unpaired surrogates at any depth', () => {
    const whole = { a: ['x', { b: 'fine 😀' }] }
    assert.deepEqual(issuesOf(z.any(), whole), [])
    const cases: readonly [unknown, readonly (string | number)[]][] = [
      [{ a: ['x', { b: '\0' }] }, ['body', 'a', 1, 'b']],
      [{ a: ['x', { b: '\ud800' }] }, ['body', 'a', 1, 'b']],
      [{ a: { '\udc00': 1 } }, ['body', 'a']],
      ['\ude00\ud83d', ['body']],
    ]
    for (const [sent, loc] of cases) {
      const [issue] = issuesOf(z.any(), sent)
      assert.deepEqual([issue?.type, issue?.loc], ['value_error', loc])
    }
    const deep = Array.from({ length: 150 }).reduce<unknown>((inner) => [inner], 0)
    assert.equal(issuesOf(z.any(), deep)[0]?.loc.length, 101)
  })

  it('reads numbers and booleans from text in queries and forms, and not in JSON', () => {
    const schema = z.object({
      n: z.number().max(9).optional(),
      i: z.int().optional(),
      b: z.boolean().optional(),
      list: z.array(z.number()).optional(),
    })
    for (const sent of [{ n: '1' }, { n: ' 1.5 ' }, { n: true }, { i: '1' }, { i: false }, { b: 'true' }, { b: 1 }, { list: [1, '2'] }]) {
      const judge = (isText: boolean) => validateParts([{ name: 'body', schema, sent, isText }])
      assert.doesNotThrow(() => judge(true), JSON.stringify(sent))
      assert.throws(() => judge(false), InvalidRequest, JSON.stringify(sent))
    }
  })
})
