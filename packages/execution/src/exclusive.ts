export interface Exclusive {
  run<T>(task: () => Promise<T>): Promise<T>
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
