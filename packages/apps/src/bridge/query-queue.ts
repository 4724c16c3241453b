export interface QueryQueue {
  run<T>(question: () => Promise<T>): Promise<T> | null
}

export function createQueryQueue({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }): QueryQueue {
  const waiting: (() => void)[] = []
  let running = 0
  const turn = async () => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
  }
  return {
    run(question) {
      if (running >= atOnce && waiting.length >= maxWaiting) return null
      return turn()
        .then(question)
        .finally(() => {
          const next = waiting.shift()
          if (next === undefined) running--
          else next()
        })
    },
  }
}

/** Keys requested while a query is running share the next query. */
export function createSharedQuery<K, A>(ask: (keys: readonly K[]) => Promise<A>, most: number): (key: K) => Promise<A> {
  let next = new Map<K, ((answer: Promise<A>) => void)[]>()
  let running = false
  const go = async () => {
    running = true
    await Promise.resolve()
    while (next.size > 0) {
      const group = [...next].slice(0, most)
      next = new Map([...next].slice(most))
      const answer = ask(group.map(([key]) => key))
      for (const [, callers] of group) for (const resolve of callers) resolve(answer)
      await answer.catch(() => undefined)
    }
    running = false
  }
  return (key) =>
    new Promise<A>((resolve) => {
      const callers = next.get(key)
      if (callers === undefined) next.set(key, [resolve])
      else callers.push(resolve)
      if (!running) void go()
    })
}
