import { type RollupConfig, utcText } from '@keelson/chainspec'
import { type ForkTable, forkTableOf } from '../networks/fork-table.ts'
import type { NewerForkTimes } from './fork-times-file.ts'

export interface Schedules {
  /** Those in force until now. */
  readonly before: ForkTable
  /** With the newer times. */
  readonly applied: RollupConfig
}

/** Returns one line per fork whose blocks this node may already have made by another schedule. */
export function movedForks({ forks }: NewerForkTimes, { before, applied }: Schedules, nowSec: number): readonly string[] {
  const after = forkTableOf(applied)
  return [...forks].flatMap(([name, { readAtSec }]) => {
    const [have, want] = [before.get(name) ?? null, after.get(name) ?? null]
    if (want === null || have === want) return []
    if (have !== null && have <= nowSec) return [`fork ${name} is active since ${utcText(have)} and cannot move to ${utcText(want)}`]
    // Before a fork that this release does not implement, a node stops, so its past times do no harm.
    const isImplemented = !applied.unsupportedForks.some((fork) => fork.name === name)
    if (!isImplemented || want > readAtSec) return []
    return [
      `fork ${name} was active since ${utcText(want)} when it was read, at ${utcText(readAtSec)}: this node may have blocks without its rules`,
    ]
  })
}
