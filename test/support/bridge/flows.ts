/**
 * Transfers that run beside each other on one network: each begins at once, and a test waits for its own. A test that
 * fails does not keep the others from being judged.
 */

export interface Flow<T> {
  result(): Promise<T>
}

export function startFlow<T>(run: () => Promise<T>): Flow<T> {
  const running = run()
  // whoever asks for the result hears of it
  running.catch(() => undefined)
  return { result: () => running }
}
