/** The time that a node works for each call, when only the time until the answer is known. */
import type { Clock } from '@keelson/primitives'

export interface SharedTime {
  /** Returns the function that ends the call and says what it cost in milliseconds. */
  begin(): () => number
}

/** Calls that are under way share the time, so a visitor does not pay for those that the node answers before. */
export function createSharedTime(clock: Pick<Clock, 'monotonicMs'>): SharedTime {
  let calls = 0
  let sinceMs = clock.monotonicMs()
  /** Grows by the time that passes, divided by the calls under way. */
  let shareMs = 0
  const advance = () => {
    const nowMs = clock.monotonicMs()
    if (calls > 0) shareMs += (nowMs - sinceMs) / calls
    sinceMs = nowMs
  }
  return {
    begin() {
      advance()
      calls++
      const fromMs = shareMs
      return () => {
        advance()
        calls--
        return shareMs - fromMs
      }
    },
  }
}
