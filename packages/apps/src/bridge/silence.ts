/** Tells how long a chain's node has been asked without an answer, also while the question is still on its way. */
import type { Clock } from '@keelson/primitives'

export interface Silence {
  /** The same, watched. An error is no answer. */
  watch<T extends object>(port: T): T
  /** Since the oldest open question was asked or anything else was answered, whichever is later; 0 without one. */
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
