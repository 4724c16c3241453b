export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Null while the current turn may continue. */
export type TurnTaker = () => Promise<void> | null

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
