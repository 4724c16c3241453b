import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Scenario } from '@keelson/simulator'
import type { Outcome } from './one-run.ts'

export interface WorkerOutcome extends Outcome {
  readonly peakRssBytes: number
  /** After the run. */
  readonly rssBytes: number
}

/**
 * Compiled code stays warm from run to run, but Node keeps the worlds of finished runs: it registers every AbortSignal that
 * AbortSignal.any combines until the signal is aborted.
 */
const MAX_RSS_BYTES = 1.5 * 2 ** 30

type Next = () => Scenario | null
type Done = (scenario: Scenario, outcome: WorkerOutcome) => void

/**
 * Runs each scenario that `next` gives, until it gives null, in `workers` processes. A process that ends early rejects; an aborted
 * signal ends the processes and abandons their runs.
 */
export async function runInWorkers(workers: number, next: Next, done: Done, signal?: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => work(next, done, signal)))
}

async function work(next: Next, done: Done, signal: AbortSignal | undefined): Promise<void> {
  let child: ChildProcess | null = null
  const end = () => child?.kill()
  signal?.addEventListener('abort', end)
  try {
    for (let scenario = next(); scenario !== null && !signal?.aborted; scenario = next()) {
      child ??= fork(fileURLToPath(new URL('seed-worker.ts', import.meta.url)), {
        execArgv: ['--max-semi-space-size=64', '--import=tsx'],
      })
      const outcome = await outcomeOf(child, scenario).catch((error: unknown) => {
        if (signal?.aborted) return null
        throw error
      })
      if (outcome === null) return
      done(scenario, outcome)
      if (outcome.rssBytes < MAX_RSS_BYTES) continue
      child.kill()
      child = null
    }
  } finally {
    signal?.removeEventListener('abort', end)
    end()
  }
}

function outcomeOf(child: ChildProcess, scenario: Scenario): Promise<WorkerOutcome> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the process of seed ${scenario.seed} ended with code ${code}`))
    child.once('exit', onExit)
    child.once('message', (outcome) => {
      child.off('exit', onExit)
      resolve(outcome as WorkerOutcome)
    })
    child.send(scenario)
  })
}
