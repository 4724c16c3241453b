/** Long work on the main thread lets sockets and timers have their turn in between. */

/** Resolves in the next turn of the event loop: not a wait, only a step aside. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** For long loops: returns null while the current event loop turn may continue, else a promise of the next turn. */
export type TurnTaker = () => Promise<void> | null

/** Creates a TurnTaker with turns of at most `turnMs`; it reads the clock once in `every` calls. */
export function createTurnTaker({ turnMs = 5, every = 1 } = {}): TurnTaker {
  let endsAtMs = performance.now() + turnMs
  let calls = 0
  return () => {
    if (++calls % every !== 0 || performance.now() < endsAtMs) return null
    return nextTurn().then(() => {
      endsAtMs = performance.now() + turnMs
    })
  }
}
