/** Long work on the main thread lets sockets and timers have their turn in between. */

/** Resolves in the next turn of the event loop: not a wait, only a step aside. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
