/**
 * Who may run when: reads that can take long are sorted into lanes by what they cost. In each lane few run at
 * once, the others wait in order, and more than may wait are refused. A caller who has gone leaves the line.
 */
import { serverError } from './errors.ts'

export interface LaneOptions {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** What they are called in the refusal. */
  readonly plural: string
}

export interface Lane {
  /** Throws RpcError -32000 that too many are waiting, or the signal's reason. */
  run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T>
  readonly waiting: number
}

export function createLane(options: LaneOptions): Lane {
  const waiting = new Set<() => void>()
  let running = 0

  function enter(signal: AbortSignal): Promise<void> | undefined {
    signal.throwIfAborted()
    if (running < options.maxRunning) {
      running++
      return undefined
    }
    if (waiting.size >= options.maxWaiting) throw serverError(`too many ${options.plural} are waiting; try again later`)
    return new Promise((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener('abort', give)
        resolve()
      }
      const give = () => {
        waiting.delete(proceed)
        reject(signal.reason)
      }
      waiting.add(proceed)
      signal.addEventListener('abort', give, { once: true })
    })
  }

  /** Whoever leaves hands its place on. */
  function leave(): void {
    const next = waiting.values().next().value
    if (next === undefined) {
      running--
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    get waiting() {
      return waiting.size
    },
    async run(signal, task) {
      await enter(signal)
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
