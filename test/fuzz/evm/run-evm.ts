/** `npm run fuzz -- evm`. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Batch, WorkerReport } from './evm-worker.ts'
import { readEvmFuzzOptions } from './options.ts'
import { Tally } from './tally.ts'

const SETS_PER_BATCH = 10
const MS_PER_MINUTE = 60_000
const WATCH_MS = 1_000
/** Opening includes loading of the curves. */
const SET_LIMIT_MS = 300_000

class Thread {
  readonly #worker = new Worker(join(import.meta.dirname, 'evm-worker-boot.mjs'))
  readonly #tally: Tally
  #sinceMs = performance.now()
  #seed: number | null = null

  constructor(tally: Tally) {
    this.#tally = tally
    this.#worker.unref()
  }

  /** Resolves to false when the thread cannot be used any more. */
  run(batch: Batch): Promise<boolean> {
    return new Promise((resolve) => {
      this.#sinceMs = performance.now()
      const finish = (usable: boolean) => {
        clearInterval(watch)
        this.#worker.removeAllListeners()
        resolve(usable)
      }
      const fail = (message: string) => {
        this.#tally.fail(`at seed ${this.#seed ?? batch.seeds[0]}: ${message}`)
        finish(false)
      }
      const watch = setInterval(() => {
        if (performance.now() - this.#sinceMs > SET_LIMIT_MS) fail(`hangs: not finished after ${SET_LIMIT_MS} ms`)
      }, WATCH_MS)
      this.#worker.on('error', (error) => fail(error.stack ?? error.message))
      this.#worker.on('exit', (code) => fail(`the thread exited with code ${code}`))
      this.#worker.on('message', (report: WorkerReport) => {
        this.#sinceMs = performance.now()
        if (report.kind === 'set') this.#seed = report.seed
        else if (report.kind === 'failure') fail(report.message)
        else if (report.kind === 'batch') {
          this.#tally.add(report.result, batch.seeds.length)
          finish(true)
        }
      })
      this.#worker.postMessage(batch)
    })
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => {
      const timer = setTimeout(resolve, 10_000)
      this.#worker.on('message', (report: WorkerReport) => {
        if (report.kind !== 'closed') return
        clearTimeout(timer)
        resolve(null)
      })
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
