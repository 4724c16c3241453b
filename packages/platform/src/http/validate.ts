/**
 * Judging what was sent by its schemas, as a FastAPI service does: all parts at once, and lax about how a number or a
 * switch is written ("5" is an integer, "true" a boolean), because a query or a form has nothing but text.
 */
import type { z } from 'zod'
import { InvalidRequest, type ValidationIssue } from './api-error.ts'
import { expectedType, MAX_ISSUES, pydanticIssues, WHOLE_NUMBERS } from './pydantic-issues.ts'
import { createAmended, findUnfit, valueAt } from './request-values.ts'

export interface RequestPart {
  /** First element of `loc`. */
  readonly name: 'body' | 'query' | 'path' | 'header'
  readonly schema: z.ZodType | undefined
  readonly sent: unknown
}

/** The values of the parts in their order. Throws InvalidRequest with everything that is wrong. */
export function validateParts(parts: readonly RequestPart[]): readonly unknown[] {
  const issues: ValidationIssue[] = []
  const values = parts.map(({ name, schema, sent }) => {
    if (schema === undefined) return undefined
    const result = validate(schema, sent, name)
    if (result.ok) return result.value
    for (const issue of result.issues) issues.push(issue)
    return undefined
  })
  if (issues.length > 0) throw new InvalidRequest(issues.slice(0, MAX_ISSUES))
  return values
}

type Verdict = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly ValidationIssue[] }

function validate(schema: z.ZodType, sent: unknown, part: string): Verdict {
  const unfit = findUnfit(sent)
  if (unfit !== null) {
    const error = 'null characters, halves of surrogate pairs and nesting of more than 100 levels are not allowed'
    return {
      ok: false,
      issues: [{ type: 'value_error', loc: [part, ...unfit], msg: `Value error, ${error}`, input: null, ctx: { error } }],
    }
  }
  const first = schema.safeParse(sent, WHOLE_NUMBERS)
  if (first.success) return { ok: true, value: first.data }
  const lax = laxly(sent, first.error.issues, part)
  const second = lax === sent ? first : schema.safeParse(lax, WHOLE_NUMBERS)
  if (second.success) return { ok: true, value: second.data }
  return { ok: false, issues: pydanticIssues(second.error.issues, lax, part) }
}

/** The same with what is written differently put right; the very same object when there is nothing of that kind. */
function laxly(sent: unknown, issues: readonly z.core.$ZodIssue[], part: string): unknown {
  const amended = createAmended(sent)
  for (const issue of issues) {
    if (issue.code !== 'invalid_type') continue
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    const given = valueAt(amended.value, path)
    // a parameter given several times: the last one counts
    const last = part === 'query' && Array.isArray(given) ? given.at(-1) : given
    const found = reread(expectedType(issue), last) ?? (last === given ? undefined : last)
    if (found !== undefined) amended.set(path, found)
  }
  return amended.value
}

const INTEGER = /^\s*[+-]?\d+(?:\.0+)?\s*$/
const DECIMAL = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/
/** No number or switch is written with more characters. */
const MAX_WRITTEN = 100
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 't', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'f', 'no', 'n', 'off'].map((word) => [word, false] as const),
])

/** Undefined when it cannot be read as that. */
function reread(expected: string, given: unknown): unknown {
  if (typeof given === 'string' && given.length > MAX_WRITTEN) return undefined
  if (expected === 'boolean' && (typeof given === 'string' || typeof given === 'number')) return BOOLEANS.get(String(given).toLowerCase())
  if (typeof given === 'boolean' && (expected === 'int' || expected === 'number')) return Number(given)
  if (typeof given !== 'string') return undefined
  if (expected === 'int' && INTEGER.test(given)) return Number(given)
  if (expected === 'number' && DECIMAL.test(given) && Number.isFinite(Number(given))) return Number(given)
  return undefined
}
