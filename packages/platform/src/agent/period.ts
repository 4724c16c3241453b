/** The time that a text asks about: days, weeks, months and years of UTC, weeks from Monday on. */
import { parseInstant } from '../schemas/instant.ts'
import { TIME_UNITS, wordsOf } from './lexicon.ts'
import type { Found, Word } from './words.ts'

type CalendarUnit = 'day' | 'week' | 'month' | 'year'

export type Period =
  | { readonly kind: 'current' | 'previous'; readonly unit: CalendarUnit }
  | { readonly kind: 'rolling'; readonly hours: number }
  | { readonly kind: 'since'; readonly fromMs: number }
  /** A time is spoken of, and it is none of these. */
  | { readonly kind: 'unread' }

export interface Bounds {
  readonly start: string
  /** Until now when left out. */
  readonly end?: string
}

const HOUR_MS = 3_600_000
const HOURS_OF: ReadonlyMap<string, number> = new Map([
  ...(['h', 'hour', 'hours'] as const).map((unit) => [unit, 1] as const),
  ...(['d', 'day', 'days'] as const).map((unit) => [unit, 24] as const),
  ...(['w', 'week', 'weeks'] as const).map((unit) => [unit, 7 * 24] as const),
  ...(['month', 'months'] as const).map((unit) => [unit, 30 * 24] as const),
  ...(['year', 'years'] as const).map((unit) => [unit, 365 * 24] as const),
])
const MAX_COUNT_DIGITS = 3
const UNREAD = wordsOf(
  'monday tuesday wednesday thursday friday saturday sunday weekend',
  'january february march april june july august september october november december',
  'jan feb mar apr jun jul aug sep sept oct nov dec',
  'quarter q1 q2 q3 q4 ytd mtd wtd ago since until before after between recently tomorrow',
)
const DATE = /^\d{4}-\d\d-\d\d$/

/** Null when no time is spoken of. */
export function findPeriod(words: readonly Word[]): Found<Period | null> {
  for (const at of words.keys()) {
    const found = periodAt(words, at)
    if (found !== null) return found
  }
  const isSpokenOf = words.some(({ lower }) => UNREAD.has(lower) || TIME_UNITS.has(lower) || DATE.test(lower))
  return { value: isSpokenOf ? { kind: 'unread' } : null, used: [] }
}

function periodAt(words: readonly Word[], at: number): Found<Period> | null {
  const [first = '', second = '', third = ''] = words.slice(at, at + 3).map(({ lower }) => lower)
  const found = (value: Period, length: number) => ({ value, used: Array.from({ length }, (_, i) => at + i) })
  if (first === 'today') return found({ kind: 'current', unit: 'day' }, 1)
  if (first === 'yesterday') return found({ kind: 'previous', unit: 'day' }, 1)
  if (first === 'this' && isCalendarUnit(second)) return found({ kind: 'current', unit: second }, 2)
  if (first === 'since' && DATE.test(second)) {
    const fromMs = parseInstant(second)
    return fromMs === null ? null : found({ kind: 'since', fromMs }, 2)
  }
  const short = /^(\d{1,3})([hdw])$/.exec(first)
  if (short !== null) return found({ kind: 'rolling', hours: Number(short[1]) * (HOURS_OF.get(short[2] ?? '') ?? 0) }, 1)
  if (first !== 'last' && first !== 'past' && first !== 'previous') return null
  const isCount = /^\d+$/.test(second) && second.length <= MAX_COUNT_DIGITS
  const counted = isCount ? HOURS_OF.get(third) : undefined
  if (counted !== undefined) return found({ kind: 'rolling', hours: Number(second) * counted }, 3)
  if (first !== 'past' && isCalendarUnit(second) && second !== 'day') return found({ kind: 'previous', unit: second }, 2)
  const single = HOURS_OF.get(second)
  return single === undefined || second.endsWith('s') ? null : found({ kind: 'rolling', hours: single }, 2)
}

function isCalendarUnit(word: string): word is CalendarUnit {
  return word === 'day' || word === 'week' || word === 'month' || word === 'year'
}

/** For what takes times of ISO 8601; null for what is not read, which has none. */
export function boundsOf(period: Period, nowMs: number): Bounds | null {
  switch (period.kind) {
    case 'unread':
      return null
    case 'since':
      return { start: iso(period.fromMs) }
    case 'rolling':
      return { start: iso(nowMs - period.hours * HOUR_MS) }
    case 'current':
      return { start: iso(beginOf(period.unit, nowMs)) }
    case 'previous': {
      const endMs = beginOf(period.unit, nowMs)
      return { start: iso(beginOf(period.unit, endMs - 1)), end: iso(endMs) }
    }
  }
}

function beginOf(unit: CalendarUnit, ms: number): number {
  const date = new Date(ms)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'year') return Date.UTC(year, 0, 1)
  if (unit === 'month') return Date.UTC(year, month, 1)
  const daysSinceMonday = unit === 'week' ? (date.getUTCDay() + 6) % 7 : 0
  return Date.UTC(year, month, day - daysSinceMonday)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
