/** Runs tasks one at a time, in the order they were given. */
export interface Exclusive {
  run<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when everything given so far has ended, however it ended. */
  idle(): Promise<void>
}

export function createExclusive(): Exclusive {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(task) {
      const result = last.then(task, task)
      last = result.catch(() => undefined)
      return result
    },
    async idle() {
      await last
    },
  }
}
