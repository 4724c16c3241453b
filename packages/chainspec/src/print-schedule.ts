/** The fork table a node shows when it starts. */
import type { RollupConfig } from './rollup-config.ts'
import { FORKS, type Fork, type ForkSchedule } from './rules.ts'

/** One line a fork: name, activation, and how that lies to `nowSec`. Lines end without a newline. */
export function printSchedule(config: Pick<RollupConfig, 'genesis'> & { readonly forks: ForkSchedule }, nowSec: number): string {
  const rows = FORKS.map(
    (fork) => [fork, ...describe(config.forks.activationTimeSec(fork), config.genesis.l2TimestampSec, nowSec)] as const,
  )
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? '').length))
  return rows.map((row) => `${row[0].padEnd(width(0))}  ${row[1].padEnd(width(1))}  ${row[2]}`.trimEnd()).join('\n')
}

/** The next fork to come and how long it takes; null when none is scheduled. */
export function findNextFork(
  forks: ForkSchedule,
  nowSec: number,
): { readonly fork: Fork; readonly timeSec: number; readonly inSec: number } | null {
  for (const fork of FORKS) {
    const timeSec = forks.activationTimeSec(fork)
    if (timeSec !== null && timeSec > nowSec) return { fork, timeSec, inSec: timeSec - nowSec }
  }
  return null
}

/** `isthmus in 42 s, jovian in 3 min`: all forks that are still to come; null when there is none. */
export function describeForksToCome(forks: ForkSchedule, nowSec: number): string | null {
  const parts = FORKS.flatMap((fork) => {
    const timeSec = forks.activationTimeSec(fork)
    return timeSec !== null && timeSec > nowSec ? [`${fork} in ${duration(timeSec - nowSec)}`] : []
  })
  return parts.length === 0 ? null : parts.join(', ')
}

function describe(timeSec: number | null, genesisSec: number, nowSec: number): readonly [string, string] {
  if (timeSec === null) return ['-', 'not scheduled']
  if (timeSec <= genesisSec) return ['genesis', 'active']
  const date = `${new Date(timeSec * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  return [`${timeSec}  ${date}`, timeSec <= nowSec ? 'active' : `in ${duration(timeSec - nowSec)}`]
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}
