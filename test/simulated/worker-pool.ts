import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Scenario } from '@keelson/simulator'
import type { Outcome } from './one-run.ts'

export interface WorkerOutcome extends Outcome {
  readonly peakRssBytes: number
  /** After the run. */
  readonly rssBytes: number
}

export interface Work {
  /** Null when no further run is wanted. */
  next(): Scenario | null
  done(scenario: Scenario, outcome: WorkerOutcome): void
  /** The process of the run ended before the run did; `how` names its signal or exit code. */
  lost(scenario: Scenario, how: string): void
}

/**
 * Compiled code stays warm from run to run, but Node keeps the worlds of finished runs: it registers every AbortSignal that
 * AbortSignal.any combines until the signal is aborted.
 */
const MAX_RSS_BYTES = 1.5 * 2 ** 30

/** Runs scenarios in `workers` processes, one at a time in each. An aborted signal ends the processes and abandons their runs. */
export async function runInWorkers(workers: number, work: Work, signal?: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => runWorker(work, signal)))
}

async function runWorker({ next, done, lost }: Work, signal: AbortSignal | undefined): Promise<void> {
  let child: ChildProcess | null = null
  const end = () => {
    child?.kill()
    child = null
  }
  signal?.addEventListener('abort', end)
  try {
    for (let scenario = next(); scenario !== null && !signal?.aborted; scenario = next()) {
      child ??= fork(fileURLToPath(new URL('seed-worker.ts', import.meta.url)), {
        execArgv: ['--max-semi-space-size=64', '--import=tsx'],
      })
      const outcome = await outcomeOf(child, scenario)
      if (signal?.aborted) return
      if (typeof outcome !== 'string') done(scenario, outcome)
      else lost(scenario, outcome)
      if (typeof outcome === 'string' || outcome.rssBytes >= MAX_RSS_BYTES) end()
    }
  } finally {
    signal?.removeEventListener('abort', end)
    end()
  }
}

/** Resolves to how the process ended if it gives no outcome. */
function outcomeOf(child: ChildProcess, scenario: Scenario): Promise<WorkerOutcome | string> {
  return new Promise((resolve) => {
    const onExit = (code: number | null, signal: string | null) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
    child.once('exit', onExit)
    child.once('message', (outcome) => {
      child.off('exit', onExit)
      resolve(outcome as WorkerOutcome)
    })
    child.send(scenario, () => undefined)
  })
}
