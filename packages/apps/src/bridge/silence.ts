import type { Clock } from '@keelson/primitives'

export interface Silence {
  /** An error does not count as a response. */
  watch<T extends object>(port: T): T
  silentMs(): number
}

export function createSilence(clock: Pick<Clock, 'monotonicMs'>): Silence {
  const open = new Set<{ readonly askedMs: number }>()
  let answeredMs = Number.NEGATIVE_INFINITY
  const watched = async <A>(ask: () => Promise<A>): Promise<A> => {
    const question = { askedMs: clock.monotonicMs() }
    open.add(question)
    try {
      const answer = await ask()
      answeredMs = clock.monotonicMs()
      return answer
    } finally {
      open.delete(question)
    }
  }
  return {
    watch<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          return typeof method === 'function' ? (...args: unknown[]) => watched(async () => method.apply(target, args)) : method
        },
      })
    },
    silentMs() {
      const [oldest] = open
      return oldest === undefined ? 0 : clock.monotonicMs() - Math.max(oldest.askedMs, answeredMs)
    },
  }
}
