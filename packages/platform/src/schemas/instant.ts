/** Accepts pydantic's datetimes. */
import { z } from 'zod'

const TEXT = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?$/
/** What the description shows: no leap days and no late times, which the formats beside it have. */
const TEXT_SHOWN = [
  '^(000[2-9]|00[1-9]\\d|0[1-9]\\d\\d|[1-9]\\d{3})',
  '-(02-(0[1-9]|1\\d|2[0-8])|(0[469]|11)-(0[1-9]|[12]\\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01]))',
  '([Tt _]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,9})?)? ?([Zz]|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?)?$',
].join('')
const UNIX_SHOWN = '^-?\\d{1,13}(\\.\\d{1,9})?$'
const UNIX = /^-?\d{1,15}(\.\d{1,9})?$/
const LARGEST_SECONDS = 2e10
const FIRST_MS = -62_135_596_800_000
const LAST_MS = 253_402_300_799_999

/** Returns milliseconds. Rounds fractions up, so that comparisons stay exact. */
export function parseInstant(text: string): number | null {
  const ms = UNIX.test(text) ? unixMs(Number(text)) : isoMs(text)
  return ms === null || ms < FIRST_MS || ms > LAST_MS ? null : ms
}

function unixMs(given: number): number {
  return Math.ceil(Math.abs(given) > LARGEST_SECONDS ? given : given * 1_000)
}

function isoMs(text: string): number | null {
  const match = TEXT.exec(text)
  if (match === null) return null
  const part = (i: number) => Number(match[i] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  if (hour > 23 || minute > 59 || second > 59) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  const offset = offsetMinutes(match[8])
  if (offset === null) return null
  const fraction = (match[7] ?? '').padEnd(3, '0')
  const fractionMs = Number(fraction.slice(0, 3)) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0)
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fractionMs
}

function offsetMinutes(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  if (hours > 23 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

export const Instant = z
  .string()
  .check((context) => {
    if (parseInstant(context.value) === null)
      context.issues.push({ code: 'invalid_format', format: 'datetime', input: context.value, message: 'expected a datetime' })
  })
  .meta({
    description: 'ISO 8601 date or datetime, by default in UTC, or Unix time; of the years 1 to 9999',
    example: '2026-01-31T12:00:00Z',
    anyOf: [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date' },
      { type: 'string', pattern: TEXT_SHOWN },
      { type: 'string', pattern: UNIX_SHOWN },
    ],
  })
