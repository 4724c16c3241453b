/** Linux only. proc(5), `schedstat` */
import { readFileSync, readlinkSync } from 'node:fs'
import type { Clock } from '@keelson/primitives'

const NS_PER_MS = 1_000_000
/** A scheduler tick. */
const TICK_MS = 4

export function ownThreadId(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}

/** As of the last scheduler tick; null if unknown. */
export function threadTimeMs(thread: number | null): number | null {
  if (thread === null) return null
  try {
    const [runtimeNs] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ')
    return Number(runtimeNs) / NS_PER_MS
  } catch {
    return null
  }
}

/** `monotonicMs` counts only the time that a thread runs, or all time if `threadMs` returns null. */
export function createThreadClock(wall: Clock, threadMs: () => number | null): Clock {
  let readAtMs = wall.monotonicMs()
  let ranMs = threadMs()
  return {
    ...wall,
    monotonicMs() {
      const nowMs = wall.monotonicMs()
      if (ranMs === null) return nowMs
      if (nowMs - readAtMs >= TICK_MS) {
        readAtMs = nowMs
        ranMs = threadMs() ?? ranMs
      }
      return ranMs
    },
  }
}
