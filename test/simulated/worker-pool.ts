import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Scenario } from '@keelson/simulator'
import type { Outcome } from './one-run.ts'

export interface WorkerOutcome extends Outcome {
  readonly peakRssBytes: number
}

/** Compiled code stays warm from run to run; a new process now and then keeps leaks of one from the others. */
const RUNS_OF_A_WORKER = 50

/** Runs each scenario that `next` gives, until it gives null, in `workers` processes. A process that ends early rejects. */
export async function runInWorkers(
  workers: number,
  next: () => Scenario | null,
  done: (scenario: Scenario, outcome: WorkerOutcome) => void,
): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => work(next, done)))
}

async function work(next: () => Scenario | null, done: (scenario: Scenario, outcome: WorkerOutcome) => void): Promise<void> {
  let runs = 0
  let child: ChildProcess | null = null
  try {
    for (let scenario = next(); scenario !== null; scenario = next()) {
      child ??= fork(fileURLToPath(new URL('seed-worker.ts', import.meta.url)), { execArgv: ['--import=tsx'] })
      done(scenario, await outcomeOf(child, scenario))
      if (++runs % RUNS_OF_A_WORKER !== 0) continue
      child.kill()
      child = null
    }
  } finally {
    child?.kill()
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
