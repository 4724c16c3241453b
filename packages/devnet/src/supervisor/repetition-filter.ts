/** Prints repeated lines rarely and with a count. */
export interface RepetitionFilter {
  pass(key: string, line: string): string | null
}

const QUIET_MS = 15_000
const MAX_KEYS = 200

export function createRepetitionFilter(nowMs: () => number): RepetitionFilter {
  const seen = new Map<string, { sinceMs: number; held: number }>()
  return {
    pass(key, line) {
      const known = seen.get(key)
      const now = nowMs()
      if (known !== undefined && now - known.sinceMs < QUIET_MS) {
        known.held++
        return null
      }
      seen.delete(key)
      seen.set(key, { sinceMs: now, held: 0 })
      if (seen.size > MAX_KEYS) seen.delete(seen.keys().next().value as string)
      return known === undefined || known.held === 0 ? line : `${line} (and ${known.held} times before)`
    },
  }
}
