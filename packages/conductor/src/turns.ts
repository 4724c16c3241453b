export type RunInTurn = <T>(act: () => Promise<T>) => Promise<T>

/** Returns a function that runs its arguments one after another, even when one fails. */
export function createTurns(): RunInTurn {
  let turn: Promise<unknown> = Promise.resolve()
  return (act) => {
    const result = turn.then(act)
    turn = result.catch(() => undefined)
    return result
  }
}
