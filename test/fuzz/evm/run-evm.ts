import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Batch, WorkerReport } from './evm-worker.ts'
import { readEvmFuzzOptions } from './options.ts'
import { Tally } from './tally.ts'

const SETS_PER_BATCH = 10
const MS_PER_MINUTE = 60_000
const WATCH_MS = 1_000
const CLOSE_LIMIT_MS = 5_000
/** Opening includes loading of the curves. */
const SET_LIMIT_MS = 300_000

class Thread {
  readonly #worker = new Worker(join(import.meta.dirname, 'evm-worker-boot.mjs'))
  readonly #tally: Tally
  #sinceMs = performance.now()
  #seed = 0
  #sets = 0
  #finish: ((usable: boolean) => void) | null = null
  #closed: (() => void) | null = null

  constructor(tally: Tally) {
    this.#tally = tally
    this.#worker.on('error', (error) => this.#fail(error.stack ?? error.message))
    this.#worker.on('exit', (code) => this.#fail(`the thread exited with code ${code}`))
    this.#worker.on('message', (report: WorkerReport) => this.#take(report))
    // Only a pending batch keeps the process alive.
    this.#worker.unref()
  }

  /** False when the thread is unusable. */
  async run(batch: Batch): Promise<boolean> {
    this.#sinceMs = performance.now()
    this.#seed = batch.seeds[0] ?? 0
    this.#sets = batch.seeds.length
    const watch = setInterval(() => {
      if (performance.now() - this.#sinceMs > SET_LIMIT_MS) this.#fail(`hangs: not finished after ${SET_LIMIT_MS} ms`)
    }, WATCH_MS)
    const usable = new Promise<boolean>((resolve) => {
      this.#finish = resolve
    })
    this.#worker.postMessage(batch)
    try {
      return await usable
    } finally {
      clearInterval(watch)
    }
  }

  #take(report: WorkerReport): void {
    this.#sinceMs = performance.now()
    if (report.kind === 'set') this.#seed = report.seed
    else if (report.kind === 'failure') this.#fail(report.message)
    else if (report.kind === 'closed') this.#closed?.()
    else {
      this.#tally.add(report.result, this.#sets)
      this.#end(true)
    }
  }

  #fail(message: string): void {
    if (this.#finish === null) return
    this.#tally.fail(`at seed ${this.#seed}: ${message}`)
    this.#end(false)
  }

  #end(usable: boolean): void {
    this.#finish?.(usable)
    this.#finish = null
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve
      setTimeout(resolve, CLOSE_LIMIT_MS)
    })
    this.#worker.postMessage('close')
    await closed
    await this.#worker.terminate()
  }
}

export async function runEvmFuzz(argv: readonly string[]): Promise<void> {
  const options = readEvmFuzzOptions(argv, Date.now())
  const tally = new Tally((line) => console.log(line))
  console.log(`seed ${options.seed}, engines ${options.engines.map(({ name, share }) => `${name}:${share}`).join(',')}`)
  const began = performance.now()
  let seed = options.seed
  const done = () =>
    tally.full ||
    tally.total >= options.executions ||
    (options.minutes !== null && performance.now() - began > options.minutes * MS_PER_MINUTE)
  async function runThread(): Promise<void> {
    let thread = new Thread(tally)
    while (!done()) {
      const first = seed
      seed += SETS_PER_BATCH
      const usable = await thread.run({ options, seeds: Array.from({ length: SETS_PER_BATCH }, (_, i) => first + i) })
      if (usable) continue
      await thread.close()
      thread = new Thread(tally)
    }
    await thread.close()
  }
  await Promise.all(Array.from({ length: options.jobs }, runThread))
  tally.print(performance.now() - began, options.seed)
  process.exitCode = tally.failures === 0 ? 0 : 1
}
