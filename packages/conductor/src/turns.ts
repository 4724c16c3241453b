/** A queue of one at a time, for what must not overlap. */

/** Runs what it is given one after another, in order, whatever fails. */
export function createTurns(): <T>(act: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return (act) => {
    const result = turn.then(act)
    turn = result.catch(() => undefined)
    return result
  }
}
