/**
 * What zod finds wrong, in pydantic-v2's types and words: clients of an API of this form branch on `type` and show `msg`.
 */
import type { z } from 'zod'
import { STRICT_BOOLEAN } from '../schemas/strict-boolean.ts'
import type { ValidationIssue } from './api-error.ts'
import { childOf, shownInput, valueAt } from './request-values.ts'

type ZodIssue = z.core.$ZodIssue
type Detail = Omit<ValidationIssue, 'loc' | 'input'>

const WHOLE = 'a whole number'

/** Parameters of a parse, without which an issue does not say whether a number had to be whole. */
export const WHOLE_NUMBERS = {
  error: (issue: z.core.$ZodRawIssue): string | undefined =>
    issue.code === 'invalid_type' && issue.expected === 'number' && (issue.inst as { format?: unknown } | undefined)?.format === 'safeint'
      ? WHOLE
      : undefined,
}

/** `strict boolean` accepts only JSON booleans, no text and no number. */
export function expectedType(issue: Extract<ZodIssue, { code: 'invalid_type' }>): string {
  if (issue.message === STRICT_BOOLEAN) return 'strict boolean'
  return issue.message === WHOLE ? 'int' : issue.expected
}

/** Of one request; more would help nobody. */
export const MAX_ISSUES = 100

/** `part` is body, query or path, the first element of every `loc`; `sent` is what was judged. */
export function pydanticIssues(issues: readonly ZodIssue[], sent: unknown, part: string): readonly ValidationIssue[] {
  const found: ValidationIssue[] = []
  for (const issue of issues) {
    if (found.length >= MAX_ISSUES) break
    for (const one of translate(issue, sent, part, [])) found.push(one)
  }
  return found
}

function translate(issue: ZodIssue, sent: unknown, part: string, above: readonly (string | number)[]): readonly ValidationIssue[] {
  const path = [...above, ...pathOf(issue)]
  const loc = [part, ...path]
  const input = valueAt(sent, path)
  if (input === undefined) return [missing(sent, part, path)]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
      input: shownInput(childOf(input, key), key),
    }))
  if (issue.code === 'invalid_union') {
    const branch = closestBranch(issue)
    if (branch !== null) return branch.slice(0, MAX_ISSUES).flatMap((inner) => translate(inner, sent, part, path))
  }
  return [{ ...detailOf(issue, input), loc, input: shownInput(input, path.at(-1)) }]
}

function missing(sent: unknown, part: string, path: readonly (string | number)[]): ValidationIssue {
  const parent = path.length === 0 ? null : (valueAt(sent, path.slice(0, -1)) ?? null)
  return { type: 'missing', loc: [part, ...path], msg: 'Field required', input: shownInput(parent, undefined) }
}

/** Of the alternatives, the one that got furthest before it failed; null when there is none to tell of. */
function closestBranch(issue: Extract<ZodIssue, { code: 'invalid_union' }>): readonly ZodIssue[] | null {
  const depth = (branch: readonly ZodIssue[]) => branch.reduce((least, { path }) => Math.min(least, path.length), Number.POSITIVE_INFINITY)
  const branches = issue.errors.filter((branch) => branch.length > 0)
  return branches.reduce<readonly ZodIssue[] | null>((best, branch) => (best === null || depth(branch) > depth(best) ? branch : best), null)
}

function pathOf(issue: ZodIssue): readonly (string | number)[] {
  return issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
}

function detailOf(issue: ZodIssue, input: unknown): Detail {
  switch (issue.code) {
    case 'invalid_type':
      return typeDetail(expectedType(issue), input)
    case 'too_small':
      return tooSmall(issue, input)
    case 'too_big':
      return tooBig(issue, input)
    case 'invalid_value':
      return literalDetail(issue.values)
    case 'invalid_format':
      return formatDetail(issue)
    case 'not_multiple_of':
      return {
        type: 'multiple_of',
        msg: `Input should be a multiple of ${issue.divisor}`,
        ctx: { multiple_of: Number(issue.divisor) },
      }
    case 'invalid_union':
      return issue.discriminator === undefined
        ? valueDetail(issue.message)
        : {
            type: 'union_tag_invalid',
            msg: `Input should have a known value of '${issue.discriminator}'`,
            ctx: { discriminator: `'${issue.discriminator}'` },
          }
    default:
      return valueDetail(issue.message)
  }
}

function valueDetail(message: string): Detail {
  return { type: 'value_error', msg: `Value error, ${message}`, ctx: { error: message } }
}

function typeDetail(expected: string, input: unknown): Detail {
  const text = typeof input === 'string'
  switch (expected) {
    case 'string':
      return { type: 'string_type', msg: 'Input should be a valid string' }
    case 'int':
      if (text) return { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' }
      return typeof input === 'number'
        ? { type: 'int_from_float', msg: 'Input should be a valid integer, got a number with a fractional part' }
        : { type: 'int_type', msg: 'Input should be a valid integer' }
    case 'number':
      return text
        ? { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' }
        : { type: 'float_type', msg: 'Input should be a valid number' }
    case 'boolean':
      return text || typeof input === 'number'
        ? { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' }
        : { type: 'bool_type', msg: 'Input should be a valid boolean' }
    case 'strict boolean':
      return { type: 'bool_type', msg: `Input should be a valid boolean, ${STRICT_BOOLEAN}` }
    case 'object':
      return { type: 'model_attributes_type', msg: 'Input should be a valid dictionary or object to extract fields from' }
    case 'record':
      return { type: 'dict_type', msg: 'Input should be a valid dictionary' }
    case 'array':
    case 'tuple':
      return { type: 'list_type', msg: 'Input should be a valid list' }
    case 'null':
      return { type: 'none_required', msg: 'Input should be None' }
    default:
      return valueDetail(`expected ${expected}`)
  }
}

type Bound<C extends 'too_small' | 'too_big'> = Extract<ZodIssue, { code: C }>

function tooSmall(issue: Bound<'too_small'>, input: unknown): Detail {
  const least = Number(issue.minimum)
  if (issue.origin === 'string')
    return { type: 'string_too_short', msg: `String should have at least ${count(least, 'character')}`, ctx: { min_length: least } }
  if (Array.isArray(input))
    return {
      type: 'too_short',
      msg: `List should have at least ${count(least, 'item')} after validation, not ${input.length}`,
      ctx: { field_type: 'List', min_length: least, actual_length: input.length },
    }
  return issue.inclusive
    ? { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${least}`, ctx: { ge: least } }
    : { type: 'greater_than', msg: `Input should be greater than ${least}`, ctx: { gt: least } }
}

function tooBig(issue: Bound<'too_big'>, input: unknown): Detail {
  const most = Number(issue.maximum)
  if (issue.origin === 'string')
    return { type: 'string_too_long', msg: `String should have at most ${count(most, 'character')}`, ctx: { max_length: most } }
  if (Array.isArray(input))
    return {
      type: 'too_long',
      msg: `List should have at most ${count(most, 'item')} after validation, not ${input.length}`,
      ctx: { field_type: 'List', max_length: most, actual_length: input.length },
    }
  return issue.inclusive
    ? { type: 'less_than_equal', msg: `Input should be less than or equal to ${most}`, ctx: { le: most } }
    : { type: 'less_than', msg: `Input should be less than ${most}`, ctx: { lt: most } }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `'a', 'b' or 'c'` */
function literalDetail(values: readonly unknown[]): Detail {
  const names = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const expected = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } }
}

function formatDetail(issue: Extract<ZodIssue, { code: 'invalid_format' }>): Detail {
  switch (issue.format) {
    case 'email': {
      const reason = 'An email address must have one @-sign, a name before it and a domain with a dot after it.'
      return { type: 'value_error', msg: `value is not a valid email address: ${reason}`, ctx: { reason } }
    }
    case 'datetime': {
      const error = 'expected ISO 8601 such as 2026-01-31T12:00:00Z'
      return { type: 'datetime_parsing', msg: `Input should be a valid datetime, ${error}`, ctx: { error } }
    }
    case 'url': {
      const error = 'relative URL without a base'
      return { type: 'url_parsing', msg: `Input should be a valid URL, ${error}`, ctx: { error } }
    }
    case 'uuid':
    case 'guid': {
      const error = 'expected 32 hex digits in five groups'
      return { type: 'uuid_parsing', msg: `Input should be a valid UUID, ${error}`, ctx: { error } }
    }
    default: {
      const pattern = issue.pattern?.replace(/^\/|\/[a-z]*$/g, '')
      // a schema with words of its own says it better than its pattern
      const words = issue.message.startsWith('Invalid') ? `String should match pattern '${pattern}'` : issue.message
      return pattern === undefined ? valueDetail(issue.message) : { type: 'string_pattern_mismatch', msg: words, ctx: { pattern } }
    }
  }
}
