import assert from 'node:assert/strict'
import { InvalidRequest, type ValidationIssue } from './api-error.ts'
import { thing } from './thing.test-support.ts'
import { validateParts } from './validate.ts'

describe('issues of a request', () => {
  const issuesOf = (sent: unknown): readonly ValidationIssue[] => {
    try {
      validateParts([{ name: 'body', schema: thing, sent }])
    } catch (error) {
      if (error instanceof InvalidRequest) return error.issues
      throw error
    }
    return []
  }
  const good = { name: 'n', count: 1 }

  const judged: readonly [name: string, sent: object, issue: object][] = [
    ['text that is none', { name: 3 }, { type: 'string_type', loc: ['body', 'name'], msg: 'Input should be a valid string', input: 3 }],
    [
      'short text',
      { name: '' },
      {
        type: 'string_too_short',
        loc: ['body', 'name'],
        msg: 'String should have at least 1 character',
        input: '',
        ctx: { min_length: 1 },
      },
    ],
    [
      'long text',
      { name: '123456' },
      {
        type: 'string_too_long',
        loc: ['body', 'name'],
        msg: 'String should have at most 5 characters',
        input: '123456',
        ctx: { max_length: 5 },
      },
    ],
    [
      'text for an integer',
      { count: 'x' },
      {
        type: 'int_parsing',
        loc: ['body', 'count'],
        msg: 'Input should be a valid integer, unable to parse string as an integer',
        input: 'x',
      },
    ],
    ['list for an integer', { count: [] }, { type: 'int_type', loc: ['body', 'count'], msg: 'Input should be a valid integer', input: [] }],
    [
      'fraction for an integer',
      { count: 1.5 },
      {
        type: 'int_from_float',
        loc: ['body', 'count'],
        msg: 'Input should be a valid integer, got a number with a fractional part',
        input: 1.5,
      },
    ],
    [
      'too small',
      { count: -1 },
      { type: 'greater_than_equal', loc: ['body', 'count'], msg: 'Input should be greater than or equal to 0', input: -1, ctx: { ge: 0 } },
    ],
    [
      'too large',
      { count: 10 },
      { type: 'less_than_equal', loc: ['body', 'count'], msg: 'Input should be less than or equal to 9', input: 10, ctx: { le: 9 } },
    ],
    [
      'not above',
      { ratio: 0 },
      { type: 'greater_than', loc: ['body', 'ratio'], msg: 'Input should be greater than 0', input: 0, ctx: { gt: 0 } },
    ],
    [
      'text for a number',
      { ratio: 'x' },
      {
        type: 'float_parsing',
        loc: ['body', 'ratio'],
        msg: 'Input should be a valid number, unable to parse string as a number',
        input: 'x',
      },
    ],
    [
      'text for a switch',
      { really: 'perhaps' },
      {
        type: 'bool_parsing',
        loc: ['body', 'really'],
        msg: 'Input should be a valid boolean, unable to interpret input',
        input: 'perhaps',
      },
    ],
    [
      'list for a switch',
      { really: [] },
      { type: 'bool_type', loc: ['body', 'really'], msg: 'Input should be a valid boolean', input: [] },
    ],
    [
      'another word',
      { kind: 'd' },
      {
        type: 'literal_error',
        loc: ['body', 'kind'],
        msg: "Input should be 'a', 'b' or 'c'",
        input: 'd',
        ctx: { expected: "'a', 'b' or 'c'" },
      },
    ],
    [
      'empty list',
      { list: [] },
      {
        type: 'too_short',
        loc: ['body', 'list'],
        msg: 'List should have at least 1 item after validation, not 0',
        input: [],
        ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
      },
    ],
    [
      'inside a list',
      { list: [{ text: 'a' }, { text: 1 }] },
      { type: 'string_type', loc: ['body', 'list', 1, 'text'], msg: 'Input should be a valid string', input: 1 },
    ],
    ['no list', { list: 'a' }, { type: 'list_type', loc: ['body', 'list'], msg: 'Input should be a valid list', input: 'a' }],
    ['no map', { map: 1 }, { type: 'dict_type', loc: ['body', 'map'], msg: 'Input should be a valid dictionary', input: 1 }],
    [
      'the alternative that got further',
      { either: { deep: 'x' } },
      {
        type: 'int_parsing',
        loc: ['body', 'either', 'deep'],
        msg: 'Input should be a valid integer, unable to parse string as an integer',
        input: 'x',
      },
    ],
  ]
  for (const [name, sent, issue] of judged) {
    it(`are named as pydantic does: ${name}`, () => assert.deepEqual(issuesOf({ ...good, ...sent }), [issue]))
  }

  it('are none when it fits', () => assert.deepEqual(issuesOf(good), []))
})
