import type { Clock } from '@keelson/primitives'

const INTERVAL_MS = 10_000

export type LogThrottle = (write: (suppressed: number) => void) => void

export function createLogThrottle(clock: Clock): LogThrottle {
  let lastMs = Number.NEGATIVE_INFINITY
  let suppressed = 0
  return (write) => {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastMs < INTERVAL_MS) {
      suppressed++
      return
    }
    write(suppressed)
    lastMs = nowMs
    suppressed = 0
  }
}
