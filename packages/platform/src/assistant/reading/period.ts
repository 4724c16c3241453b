/** Periods are in UTC; weeks start on Monday. */
import { parseInstant } from '../../schemas/instant.ts'
import { UNREAD_TIMES } from './vocabulary.ts'
import type { Found, Word } from './words.ts'

type CalendarUnit = 'day' | 'week' | 'month' | 'year'

export type Period =
  | { readonly kind: 'current' | 'previous'; readonly unit: CalendarUnit }
  | { readonly kind: 'rolling'; readonly hours: number }
  | { readonly kind: 'since'; readonly fromMs: number }
  | { readonly kind: 'unread' }

export interface Bounds {
  readonly start: string
  readonly end?: string
}

const HOUR_MS = 3_600_000
const HOURS: Readonly<Record<string, number>> = { h: 1, hour: 1, d: 24, day: 24, w: 168, week: 168, month: 720, year: 8_760 }
const PATTERNS: readonly (readonly [RegExp, (match: RegExpExecArray) => Period | null])[] = [
  [/^today\b/, () => ({ kind: 'current', unit: 'day' })],
  [/^yesterday\b/, () => ({ kind: 'previous', unit: 'day' })],
  [/^this (day|week|month|year)\b/, ([, unit]) => ({ kind: 'current', unit: unit as CalendarUnit })],
  [/^(?:last|previous) (week|month|year)\b/, ([, unit]) => ({ kind: 'previous', unit: unit as CalendarUnit })],
  [/^(?:last|past|previous) (\d{1,3}) (hour|day|week|month|year)s?\b/, ([, count, unit = '']) => rolling(Number(count), unit)],
  [/^(?:last|past) (hour|day|week|month|year)\b/, ([, unit = '']) => rolling(1, unit)],
  [/^(\d{1,3})([hdw])\b/, ([, count, unit = '']) => rolling(Number(count), unit)],
  [/^since (\d{4}-\d\d-\d\d)\b/, ([, date = '']) => sinceDate(date)],
]

export function findPeriod(words: readonly Word[]): Found<Period | null> {
  const lowers = words.map(({ lower }) => lower)
  for (const at of lowers.keys()) {
    const rest = lowers.slice(at, at + 3).join(' ')
    for (const [pattern, read] of PATTERNS) {
      const match = pattern.exec(rest)
      const value = match === null ? null : read(match)
      if (match !== null && value !== null) return { value, used: match[0].split(' ').map((_, i) => at + i) }
    }
  }
  const isSpokenOf = lowers.some((lower) => UNREAD_TIMES.has(lower) || /^\d{4}-\d\d-\d\d$/.test(lower))
  return { value: isSpokenOf ? { kind: 'unread' } : null, used: [] }
}

function rolling(count: number, unit: string): Period {
  return { kind: 'rolling', hours: count * (HOURS[unit] ?? 0) }
}

function sinceDate(date: string): Period | null {
  const fromMs = parseInstant(date)
  return fromMs === null ? null : { kind: 'since', fromMs }
}

export function boundsOf(period: Period, nowMs: number): Bounds | null {
  const iso = (ms: number) => new Date(ms).toISOString()
  if (period.kind === 'unread') return null
  if (period.kind === 'since') return { start: iso(period.fromMs) }
  if (period.kind === 'rolling') return { start: iso(nowMs - period.hours * HOUR_MS) }
  const startMs = startOf(period.unit, nowMs)
  return period.kind === 'current' ? { start: iso(startMs) } : { start: iso(startOf(period.unit, startMs - 1)), end: iso(startMs) }
}

function startOf(unit: CalendarUnit, ms: number): number {
  const date = new Date(ms)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'year') return Date.UTC(year, 0, 1)
  if (unit === 'month') return Date.UTC(year, month, 1)
  return Date.UTC(year, month, day - (unit === 'week' ? (date.getUTCDay() + 6) % 7 : 0))
}
