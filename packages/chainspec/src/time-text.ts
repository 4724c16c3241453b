import { counted } from '@keelson/primitives'

/** ECMA-262, "Time Values and Time Range". */
const LAST_DATE_SEC = 8_640_000_000_000

/** `2026-06-25 18:00:00 UTC`. */
export function utcText(timeSec: number): string {
  if (timeSec > LAST_DATE_SEC) return 'later than any date'
  return new Date(timeSec * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')
}

/** `42 s`, `3 min`, `5 h`, `12 days`, rounded down. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return counted(Math.floor(seconds / 86_400), 'day')
}
