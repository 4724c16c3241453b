/** Times and durations as operators read them. */

/** `2026-06-25 18:00:00 UTC` from unix seconds. */
export function utcText(timeSec: number): string {
  return `${new Date(timeSec * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Rounded down to its largest unit: `42 s`, `3 min`, `5 h`, `12 days`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}
