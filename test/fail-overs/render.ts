import { FAULTS, type FailOver } from '../support/etcd/fail-overs.ts'

/** The time in which one of the others must lead. */
const LIMIT_MS = 6_000

/** A table of seconds: one row for each kind of fault, and one for all. */
export function renderFailOvers(all: readonly FailOver[]): string {
  const rows = [...FAULTS.map((fault) => [fault, all.filter((each) => each.fault === fault)] as const), ['all', all] as const]
  const lines = rows
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => {
      const leader = some.map(({ leaderMs }) => leaderMs)
      const cells = [
        name,
        some.length,
        ...shares(leader),
        leader.filter((ms) => ms > LIMIT_MS).length,
        ...shares(some.map(({ blockMs }) => blockMs)),
      ]
      return `| ${cells.join(' | ')} |`
    })
  return [
    '| fault | count | leader: median | 90% | 99% | longest | over 6 s | block: median | 90% | 99% | longest |',
    `| ${Array.from({ length: 11 }, () => '---').join(' | ')} |`,
    ...lines,
  ].join('\n')
}

function shares(timesMs: readonly number[]): string[] {
  const sorted = [...timesMs].sort((a, b) => a - b)
  return [0.5, 0.9, 0.99, 1].map((share) =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) / 1_000).toFixed(1),
  )
}
