/** The types are pydantic 2's. */
import type { z } from 'zod'
import { STRICT_BOOLEAN } from '../../schemas/strict-boolean.ts'
import type { ValidationIssue } from '../api-error.ts'
import { childOf, shownInput, valueAt } from './request-values.ts'

type ZodIssue = z.core.$ZodIssue
type Path = readonly (string | number)[]

export const MAX_ISSUES = 100

export const NOT_AN_INTEGER = 'Invalid input: expected an integer'

/** By default zod's error for text does not tell `z.int()` from `z.number()`. */
export const PARSE_OPTIONS = {
  error: ({ code, inst }: z.core.$ZodRawIssue): string | undefined =>
    code === 'invalid_type' && (inst as { format?: unknown } | undefined)?.format === 'safeint' ? NOT_AN_INTEGER : undefined,
}

export function validationIssues(issues: readonly ZodIssue[], sent: unknown, part: string): readonly ValidationIssue[] {
  const found: ValidationIssue[] = []
  for (const issue of issues) {
    if (found.length >= MAX_ISSUES) break
    found.push(...translate(issue, sent, part, []))
  }
  return found
}

function translate(issue: ZodIssue, sent: unknown, part: string, above: Path): readonly ValidationIssue[] {
  const path = [...above, ...pathOf(issue)]
  const loc = [part, ...path]
  const input = valueAt(sent, path)
  if (input === undefined) {
    const parent = path.length === 0 ? null : (valueAt(sent, path.slice(0, -1)) ?? null)
    return [{ type: 'missing', loc, msg: 'Field required', input: shownInput(parent, undefined) }]
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: 'Unrecognized field',
      input: shownInput(childOf(input, key), key),
    }))
  const branch = issue.code === 'invalid_union' ? closestBranch(issue.errors) : null
  if (branch !== null) return branch.slice(0, MAX_ISSUES).flatMap((inner) => translate(inner, sent, part, path))
  const type = typeOf(issue, input)
  return [{ type, loc, msg: issue.message, input: shownInput(input, path.at(-1)), ctx: contextOf(issue, type) }]
}

const BOUNDS: Readonly<Record<string, string>> = {
  string_too_short: 'min_length',
  string_too_long: 'max_length',
  too_short: 'min_length',
  too_long: 'max_length',
  greater_than: 'gt',
  greater_than_equal: 'ge',
  less_than: 'lt',
  less_than_equal: 'le',
}

function contextOf(issue: ZodIssue, type: string): Readonly<Record<string, unknown>> {
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return { [BOUNDS[type] ?? 'bound']: Number(issue.code === 'too_small' ? issue.minimum : issue.maximum) }
  if (issue.code === 'invalid_value') return { expected: issue.values }
  return issue.code === 'invalid_format' && type === 'string_pattern_mismatch' ? { pattern: issue.pattern } : { error: issue.message }
}

export function pathOf({ path }: ZodIssue): Path {
  return path.map((step) => (typeof step === 'number' ? step : String(step)))
}

function closestBranch(alternatives: readonly (readonly ZodIssue[])[]): readonly ZodIssue[] | null {
  const depth = (issues: readonly ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length))
  const failed = alternatives.filter((issues) => issues.length > 0)
  return failed.reduce<readonly ZodIssue[] | null>((best, issues) => (best === null || depth(issues) > depth(best) ? issues : best), null)
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'string_type',
  object: 'model_attributes_type',
  record: 'dict_type',
  array: 'list_type',
  tuple: 'list_type',
  null: 'none_required',
  number: 'float',
  int: 'int',
  boolean: 'bool',
}
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'datetime_parsing',
  url: 'url_parsing',
  uuid: 'uuid_parsing',
  guid: 'uuid_parsing',
  regex: 'string_pattern_mismatch',
}

function typeOf(issue: ZodIssue, input: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.message === STRICT_BOOLEAN) return 'bool_type'
      const kind = issue.message === NOT_AN_INTEGER ? 'int' : (KINDS[issue.expected] ?? 'value_error')
      if (kind === 'int' && typeof input === 'number') return 'int_from_float'
      if (!['int', 'float', 'bool'].includes(kind)) return kind
      return typeof input === 'string' || (kind === 'bool' && typeof input === 'number') ? `${kind}_parsing` : `${kind}_type`
    }
    case 'too_small':
      if (issue.origin === 'string') return 'string_too_short'
      return Array.isArray(input) ? 'too_short' : issue.inclusive ? 'greater_than_equal' : 'greater_than'
    case 'too_big':
      if (issue.origin === 'string') return 'string_too_long'
      return Array.isArray(input) ? 'too_long' : issue.inclusive ? 'less_than_equal' : 'less_than'
    case 'invalid_value':
      return 'literal_error'
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'value_error'
    case 'not_multiple_of':
      return 'multiple_of'
    case 'custom':
      return typeof issue.params?.type === 'string' ? issue.params.type : 'value_error'
    case 'invalid_union':
      return issue.discriminator === undefined ? 'value_error' : 'union_tag_invalid'
    default:
      return 'value_error'
  }
}
