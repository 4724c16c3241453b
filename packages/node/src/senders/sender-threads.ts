/** If a thread dies, the main thread takes over its work. */
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import type { RecoveryThreads } from '@keelson/execution'
import type { Logger } from '@keelson/primitives'
import { type OptionValues, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { startThread } from '../start-thread.ts'

export interface SenderWorkerData {
  readonly slowCrypto: boolean
}

export interface SenderThreads extends RecoveryThreads {
  close(): Promise<void>
}

export type SenderThread = Pick<Worker, 'on' | 'postMessage' | 'unref' | 'terminate'>

const MOST_BY_DEFAULT = 4

export const senderThreadOptions = {
  senderThreads: optionalOption({
    key: 'senders.threads',
    parse: parse.integer(0, 64),
    description:
      'Worker threads that recover the senders of transactions while a block executes; 0 recovers them on the main thread. ' +
      `Default: one less than there are cores, at most ${MOST_BY_DEFAULT}.`,
  }),
} as const

export function senderThreads({ senderThreads: wanted }: OptionValues<typeof senderThreadOptions>): number {
  return wanted ?? Math.min(MOST_BY_DEFAULT, availableParallelism() - 1)
}

const ENTRY = { bundled: 'sender-worker.js', source: new URL('./sender-worker.ts', import.meta.url) }
const MAX_WAITING_BATCHES = 4
const MAX_DEATHS = 8
const MAX_HEAP_MIB = 64

/** Null for 0 threads. */
export function openSenderThreads(
  count: number,
  data: SenderWorkerData,
  log: Logger,
  start: () => SenderThread = () => startThread(ENTRY, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB } }),
): SenderThreads | null {
  return count === 0 ? null : new SenderThreadPool(count, log, start)
}

class SenderThreadPool implements SenderThreads {
  readonly #count: number
  readonly #log: Logger
  readonly #start: () => SenderThread
  readonly #threads = new Map<SenderThread, number>()
  #deaths = 0
  #closed = false

  constructor(count: number, log: Logger, start: () => SenderThread) {
    this.#count = count
    this.#log = log
    this.#start = start
  }

  help(batch: SharedArrayBuffer): void {
    while (!this.#closed && this.#threads.size < this.#count && this.#deaths < MAX_DEATHS) this.#add()
    for (const [thread, waiting] of this.#threads) {
      if (waiting >= MAX_WAITING_BATCHES) continue
      this.#threads.set(thread, waiting + 1)
      thread.postMessage(batch)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const ending = [...this.#threads.keys()]
    this.#threads.clear()
    await Promise.all(ending.map((thread) => thread.terminate()))
  }

  #add(): void {
    const thread = this.#start()
    thread.unref()
    this.#threads.set(thread, 0)
    let failure = 'it ended'
    thread.on('message', () => {
      this.#deaths = 0
      const waiting = this.#threads.get(thread)
      if (waiting !== undefined) this.#threads.set(thread, waiting - 1)
    })
    thread.on('error', (error: Error) => {
      failure = error.message
    })
    thread.on('exit', () => this.#ended(thread, failure))
  }

  #ended(thread: SenderThread, reason: string): void {
    if (!this.#threads.delete(thread)) return
    this.#deaths++
    const replaced = this.#deaths < MAX_DEATHS
    this.#log.warn(
      `a thread that recovers senders ended${replaced ? '; the next block starts another' : ' too often and is not replaced'}`,
      {
        reason,
        deaths: this.#deaths,
      },
    )
  }
}
