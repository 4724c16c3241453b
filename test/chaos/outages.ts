export type HeadName = 'unsafe' | 'safe'

export interface Outages {
  disturbed(subject: string, nowMs: number): void
  seen(head: HeadName, number: number, nowMs: number): void
  longest(subject: string, head: HeadName): number
  overall(head: HeadName): number
}

const START = 'start'

export function createOutages(): Outages {
  const disturbances: { subject: string; atMs: number }[] = []
  const last: Partial<Record<HeadName, { number: number; atMs: number }>> = {}
  const longest = new Map<string, number>()
  const key = (subject: string, head: HeadName) => `${subject} ${head}`

  function cause(fromMs: number, toMs: number): string {
    const during = disturbances.find(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    return during?.subject ?? disturbances.findLast(({ atMs }) => atMs < fromMs)?.subject ?? START
  }

  return {
    disturbed: (subject, atMs) => void disturbances.push({ subject, atMs }),
    seen(head, number, nowMs) {
      const before = last[head]
      if (before !== undefined && number === before.number) return
      // A head that an L1 reorg moved back counts as stalled.
      const moved = before === undefined || number > before.number
      if (moved && before !== undefined) {
        const name = key(cause(before.atMs, nowMs), head)
        longest.set(name, Math.max(longest.get(name) ?? 0, nowMs - before.atMs))
      }
      last[head] = { number, atMs: moved ? nowMs : (before?.atMs ?? nowMs) }
    },
    longest: (subject, head) => longest.get(key(subject, head)) ?? 0,
    overall: (head) => Math.max(0, ...[...longest].filter(([name]) => name.endsWith(` ${head}`)).map(([, ms]) => ms)),
  }
}
