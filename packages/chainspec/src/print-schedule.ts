import type { RollupConfig } from './rollup-config.ts'
import type { Fork, ForkSchedule } from './rules.ts'
import { durationText, utcText } from './time-text.ts'

/** One line per fork: name, activation, and the distance to `nowSec`. The first unsupported fork comes last. No final newline. */
export function printSchedule(
  config: Pick<RollupConfig, 'genesis' | 'firstUnsupportedFork'> & { readonly forks: ForkSchedule },
  nowSec: number,
): string {
  const { forks, genesis, firstUnsupportedFork: unsupported } = config
  const row = (name: string, timeSec: number | null) => [name, ...describe(timeSec, genesis.l2TimestampSec, nowSec)] as const
  const rows = forks.lineage.filter((fork) => fork !== unsupported?.name).map((fork) => row(fork, forks.activationTimeSec(fork)))
  if (unsupported !== null) {
    const [name, at, state] = row(unsupported.name, unsupported.timeSec)
    const lack =
      unsupported.unconfirmedBundle === undefined ? 'not implemented by this release' : 'its upgrade transactions are not confirmed'
    rows.push([name, at, `${state}, ${lack}`])
  }
  const width = (column: number) => Math.max(...rows.map((each) => (each[column] ?? '').length))
  return rows.map((each) => `${each[0].padEnd(width(0))}  ${each[1].padEnd(width(1))}  ${each[2]}`.trimEnd()).join('\n')
}

/** Returns the next scheduled fork and the seconds until it activates, or null. */
export function findNextFork(
  forks: ForkSchedule,
  nowSec: number,
): { readonly fork: Fork; readonly timeSec: number; readonly inSec: number } | null {
  for (const fork of forks.lineage) {
    const timeSec = forks.activationTimeSec(fork)
    if (timeSec !== null && timeSec > nowSec) return { fork, timeSec, inSec: timeSec - nowSec }
  }
  return null
}

/** Returns all future forks as `isthmus in 42 s, jovian in 3 min`, or null. */
export function describeForksToCome(forks: ForkSchedule, nowSec: number): string | null {
  const parts = forks.lineage.flatMap((fork) => {
    const timeSec = forks.activationTimeSec(fork)
    return timeSec !== null && timeSec > nowSec ? [`${fork} in ${durationText(timeSec - nowSec)}`] : []
  })
  return parts.length === 0 ? null : parts.join(', ')
}

function describe(timeSec: number | null, genesisSec: number, nowSec: number): readonly [string, string] {
  if (timeSec === null) return ['-', 'not scheduled']
  if (timeSec <= genesisSec) return ['genesis', 'active']
  return [`${timeSec}  ${utcText(timeSec)}`, timeSec <= nowSec ? 'active' : `in ${durationText(timeSec - nowSec)}`]
}
