const UNITS: readonly (readonly [sec: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** "42 s", "3 min", "5 h", "2 d". */
export function formatDuration(ms: number): string {
  const sec = Math.max(0, Math.round(ms / 1000))
  const [size, name] = UNITS.find(([unit]) => sec >= unit) ?? [1, 's']
  return `${Math.floor(sec / size)} ${name}`
}

export function formatAgo(timeMs: number, nowMs: number): string {
  const age = nowMs - timeMs
  if (age < -1_500) return `in ${formatDuration(-age)}`
  return age < 1_000 ? 'now' : `${formatDuration(age)} ago`
}

export function formatAbsolute(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
