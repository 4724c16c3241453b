/** Flows run in parallel; one failure does not hide the others. */

export interface Flow<T> {
  result(): Promise<T>
}

export function startFlow<T>(run: () => Promise<T>): Flow<T> {
  const running = run()
  running.catch(() => undefined)
  return { result: () => running }
}
