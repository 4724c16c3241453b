import type { Clock } from '@keelson/primitives'
import { nextTurn } from '@keelson/runtime'

/** Milliseconds of the thread between two turns of the event loop. */
const TURN_MS = 5
/** Milliseconds of the thread for one response, which ends early beyond. */
const RESPONSE_MS = 100

/** The time that a response takes of the thread, without the turns of others. */
export interface ServeTime {
  /** Null while the current turn may continue. */
  turn(): Promise<void> | null
  isOver(): boolean
  readonly usedMs: number
}

export function createServeTime(clock: Pick<Clock, 'monotonicMs'>): ServeTime {
  let turnStartMs = clock.monotonicMs()
  let earlierMs = 0
  const usedMs = () => earlierMs + clock.monotonicMs() - turnStartMs
  return {
    turn() {
      if (clock.monotonicMs() - turnStartMs < TURN_MS) return null
      earlierMs = usedMs()
      return nextTurn().then(() => {
        turnStartMs = clock.monotonicMs()
      })
    },
    isOver: () => usedMs() >= RESPONSE_MS,
    get usedMs() {
      return usedMs()
    },
  }
}
