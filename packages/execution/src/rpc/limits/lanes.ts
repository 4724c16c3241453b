/** Each lane limits concurrent long reads, in total and per client, and queues the others. */
import { serverError } from '../errors.ts'

export interface LaneOptions {
  readonly maxRunning: number
  readonly maxRunningPerClient: number
  readonly maxWaiting: number
  readonly plural: string
}

export interface Lane {
  /** A null `client` has no per-client limit. Throws RpcError -32000 when the queue is full. */
  run<T>(signal: AbortSignal, client: string | null, task: () => Promise<T>): Promise<T>
  readonly waiting: number
}

interface Waiter {
  readonly client: string | null
  proceed(): void
}

export function createLane(options: LaneOptions): Lane {
  const waiting = new Set<Waiter>()
  const perClient = new Map<string, number>()
  let running = 0

  const hasRoom = (client: string | null): boolean =>
    running < options.maxRunning && (client === null || (perClient.get(client) ?? 0) < options.maxRunningPerClient)
  const count = (client: string | null, by: 1 | -1): void => {
    running += by
    if (client === null) return
    const now = (perClient.get(client) ?? 0) + by
    if (now === 0) perClient.delete(client)
    else perClient.set(client, now)
  }

  function enter(signal: AbortSignal, client: string | null): Promise<void> | undefined {
    signal.throwIfAborted()
    if (hasRoom(client)) {
      count(client, 1)
      return undefined
    }
    if (waiting.size >= options.maxWaiting) throw serverError(`too many ${options.plural} are waiting; try again later`)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        client,
        proceed() {
          signal.removeEventListener('abort', leaveLine)
          resolve()
        },
      }
      const leaveLine = () => {
        waiting.delete(waiter)
        reject(signal.reason)
      }
      waiting.add(waiter)
      signal.addEventListener('abort', leaveLine, { once: true })
    })
  }

  function leave(client: string | null): void {
    count(client, -1)
    for (const next of waiting) {
      if (!hasRoom(next.client)) continue
      waiting.delete(next)
      count(next.client, 1)
      next.proceed()
      return
    }
  }

  return {
    get waiting() {
      return waiting.size
    },
    async run(signal, client, task) {
      await enter(signal, client)
      try {
        return await task()
      } finally {
        leave(client)
      }
    },
  }
}
