/**
 * Reports all issues together. Queries, paths, headers and forms have nothing but text, so numbers and booleans are read from it; a
 * body of JSON has the types that the schema states.
 */
import type { z } from 'zod'
import { STRICT_BOOLEAN } from '../../schemas/strict-boolean.ts'
import { InvalidRequest, type ValidationIssue, valueIssue } from '../api-error.ts'
import { findUnfit, valueAt } from './request-values.ts'
import { MAX_ISSUES, NOT_AN_INTEGER, PARSE_OPTIONS, pathOf, validationIssues } from './validation-issues.ts'

export interface RequestPart {
  readonly name: 'body' | 'query' | 'path' | 'header'
  readonly schema: z.ZodType | undefined
  readonly sent: unknown
  /** Whether every value was sent as text. */
  readonly isText: boolean
}

export function validateParts(parts: readonly RequestPart[]): readonly unknown[] {
  const issues: ValidationIssue[] = []
  const values = parts.map((part) => (part.schema === undefined ? undefined : parsePart(part.schema, part, issues)))
  if (issues.length > 0) throw new InvalidRequest(issues.slice(0, MAX_ISSUES))
  return values
}

function parsePart(schema: z.ZodType, { name: part, sent, isText }: RequestPart, issues: ValidationIssue[]): unknown {
  const unfit = findUnfit(sent)
  if (unfit !== null) {
    issues.push(
      valueIssue([part, ...unfit], 'null characters, unpaired surrogates and more than 100 levels of nesting are not allowed', null),
    )
    return undefined
  }
  const first = schema.safeParse(sent, PARSE_OPTIONS)
  if (first.success) return first.data
  const converted = isText ? convertTexts(sent, first.error.issues, part) : sent
  const second = converted === sent ? first : schema.safeParse(converted, PARSE_OPTIONS)
  if (second.success) return second.data
  issues.push(...validationIssues(second.error.issues, converted, part))
  return undefined
}

/** If a query parameter is repeated, the last value counts. */
function convertTexts(sent: unknown, issues: readonly z.core.$ZodIssue[], part: string): unknown {
  const copy = { root: structuredClone(sent) }
  let changed = false
  for (const issue of issues) {
    if (issue.code !== 'invalid_type' || issue.message === STRICT_BOOLEAN) continue
    const path = ['root', ...pathOf(issue)]
    const given = valueAt(copy, path)
    const last = part === 'query' && Array.isArray(given) ? given.at(-1) : given
    const value = convert(issue.message === NOT_AN_INTEGER ? 'int' : issue.expected, last) ?? last
    if (value === given) continue
    // reading own properties only makes a field named __proto__ a plain assignment
    const owner = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>
    owner[path.at(-1) as string | number] = value
    changed = true
  }
  return changed ? copy.root : sent
}

const INTEGER = /^\s*[+-]?\d+(?:\.0+)?\s*$/
const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const MAX_CHARACTERS = 100
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 't', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'f', 'no', 'n', 'off'].map((word) => [word, false] as const),
])

function convert(expected: string, given: unknown): unknown {
  if (typeof given === 'string' && given.length > MAX_CHARACTERS) return undefined
  if (expected === 'boolean' && (typeof given === 'string' || typeof given === 'number')) return BOOLEANS.get(String(given).toLowerCase())
  if (expected !== 'number' && expected !== 'int') return undefined
  if (typeof given === 'boolean') return Number(given)
  if (typeof given !== 'string' || !(expected === 'int' ? INTEGER : DECIMAL).test(given)) return undefined
  return Number.isFinite(Number(given)) ? Number(given) : undefined
}
