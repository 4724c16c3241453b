import { utcText } from '@keelson/chainspec'
import type { NewerForkTimes } from './fork-times-file.ts'

/** One line per fork: its time, where it is from, and when that was read. */
export function describeForkTimes({ forks }: NewerForkTimes): readonly string[] {
  return [...forks].map(([name, { timeSec, source, readAtSec }]) => {
    return `${name} at ${timeSec} (${utcText(timeSec)}), from ${source}, read ${utcText(readAtSec)}`
  })
}
