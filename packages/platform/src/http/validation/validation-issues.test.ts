import assert from 'node:assert/strict'
import { InvalidRequest, type ValidationIssue } from '../api-error.ts'
import { thing } from './thing.test-support.ts'
import { validateParts } from './validate.ts'

describe('issues of a request', () => {
  const issuesOf = (sent: unknown): readonly ValidationIssue[] => {
    try {
      validateParts([{ name: 'body', schema: thing, sent, isText: true }])
    } catch (error) {
      if (error instanceof InvalidRequest) return error.issues
      throw error
    }
    return []
  }
  const good = { name: 'n', count: 1 }

  /** https://docs.pydantic.dev/2.0/errors/validation_errors/ */
  const refused: readonly [name: string, sent: object, type: string, loc: readonly (string | number)[]][] = [
    ['a number as text', { name: 3 }, 'string_type', ['name']],
    ['text that is too short', { name: '' }, 'string_too_short', ['name']],
    ['text that is too long', { name: '123456' }, 'string_too_long', ['name']],
    ['text as an integer', { count: 'x' }, 'int_parsing', ['count']],
    ['a list as an integer', { count: [] }, 'int_type', ['count']],
    ['a fraction as an integer', { count: 1.5 }, 'int_from_float', ['count']],
    ['a fraction as text, as an integer', { count: '1.5' }, 'int_parsing', ['count']],
    ['an integer that is too small', { count: -1 }, 'greater_than_equal', ['count']],
    ['an integer that is too large', { count: 10 }, 'less_than_equal', ['count']],
    ['a number at its excluded bound', { ratio: 0 }, 'greater_than', ['ratio']],
    ['text as a number', { ratio: 'x' }, 'float_parsing', ['ratio']],
    ['a list as a number', { ratio: [] }, 'float_type', ['ratio']],
    ['an unknown word as a boolean', { really: 'perhaps' }, 'bool_parsing', ['really']],
    ['a list as a boolean', { really: [] }, 'bool_type', ['really']],
    ['an unknown enum value', { kind: 'd' }, 'literal_error', ['kind']],
    ['an empty list', { list: [] }, 'too_short', ['list']],
    ['a wrong item of a list', { list: [{ text: 'a' }, { text: 1 }] }, 'string_type', ['list', 1, 'text']],
    ['text as a list', { list: 'a' }, 'list_type', ['list']],
    ['a number as a map', { map: 1 }, 'dict_type', ['map']],
    ['the alternative of a union that parsed furthest', { either: { deep: 'x' } }, 'int_parsing', ['either', 'deep']],
  ]
  for (const [name, sent, type, loc] of refused) {
    it(`name the type and place of ${name}, and repeat the value`, () => {
      const [issue, ...others] = issuesOf({ ...good, ...sent })
      const value = loc.reduce<unknown>((at, step) => (at as Record<string | number, unknown>)[step], sent)
      assert.deepEqual([issue?.type, issue?.loc, issue?.input, others], [type, ['body', ...loc], value, []])
      assert.ok(typeof issue?.msg === 'string' && issue.msg !== '')
    })
  }

  it('describe the bound that a value breaks', () => {
    const [issue] = issuesOf({ ...good, count: 10 })
    assert.deepEqual(issue?.ctx, { le: 9 })
    assert.match(issue?.msg ?? '', /9/)
  })

  it('are none for a valid request', () => assert.deepEqual(issuesOf(good), []))
})
