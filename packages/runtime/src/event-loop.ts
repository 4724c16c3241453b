import { clearTimeout, setImmediate, setTimeout } from 'node:timers'

/** Turns and delays of this process. They follow no network's clock. */
export interface EventLoop {
  /** Resolves after the work that is already due. */
  nextTurn(): Promise<void>
  monotonicMs(): number
  /** Returns the function that cancels. */
  after(ms: number, act: () => void): () => void
}

export const SYSTEM_EVENT_LOOP: EventLoop = {
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  monotonicMs: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

let current = SYSTEM_EVENT_LOOP

/** For simulations. Applies to all code of the process until the returned function is called. */
export function replaceEventLoop(loop: EventLoop): () => void {
  const before = current
  current = loop
  return () => {
    current = before
  }
}

export function nextTurn(): Promise<void> {
  return current.nextTurn()
}

export function loopMs(): number {
  return current.monotonicMs()
}

export function after(ms: number, act: () => void): () => void {
  return current.after(ms, act)
}

/** Null while the current turn may continue. */
export type TurnTaker = () => Promise<void> | null

export function createTurnTaker({ turnMs = 5, every = 1 } = {}): TurnTaker {
  let endsAtMs = loopMs() + turnMs
  let calls = 0
  return () => {
    if (++calls % every !== 0 || loopMs() < endsAtMs) return null
    return nextTurn().then(() => {
      endsAtMs = loopMs() + turnMs
    })
  }
}
