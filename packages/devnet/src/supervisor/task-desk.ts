import { DevnetError } from '../devnet-error.ts'
import type { NetworkTask } from './network-task.ts'

export interface PendingTask {
  readonly task: NetworkTask
  done(result: unknown): void
  failed(error: unknown): void
}

export interface TaskDesk {
  /** Resolves when the network runs again. Throws DevnetError `node/devnet` while another task is in progress. */
  run(task: NetworkTask): Promise<unknown>
  /** The next task, or null when `signal` aborts. */
  next(signal: AbortSignal): Promise<PendingTask | null>
}

export function createTaskDesk(): TaskDesk {
  let busyWith: string | null = null
  let waiting: PendingTask | null = null
  let wake: () => void = () => undefined

  return {
    async run(task) {
      if (busyWith !== null) throw new DevnetError('node/devnet', `the network is ${busyWith}: try again when that is done`)
      busyWith = task.title
      try {
        await task.before()
        return await new Promise((done, failed) => {
          waiting = { task, done, failed }
          wake()
        })
      } finally {
        busyWith = null
      }
    },
    async next(signal) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      if (waiting === null && !signal.aborted) await woken
      const taken = signal.aborted ? null : waiting
      waiting = null
      return taken
    },
  }
}
