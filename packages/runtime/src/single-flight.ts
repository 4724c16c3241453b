/** Runs `work` for a key once at a time: who asks while it runs gets the same result. */
export function singleFlight<K, A extends readonly unknown[], R>(
  work: (key: K, ...rest: A) => Promise<R>,
): (key: K, ...rest: A) => Promise<R> {
  const running = new Map<K, Promise<R>>()
  return (key, ...rest) => {
    const found = running.get(key)
    if (found !== undefined) return found
    const started = work(key, ...rest).finally(() => running.delete(key))
    running.set(key, started)
    return started
  }
}
