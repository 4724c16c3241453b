import assert from 'node:assert/strict'
import type { SimProcess } from '../../packages/simulator/src/core/sim-process.ts'
import type { Simulation } from '../../packages/simulator/src/core/simulation.ts'

/** Runs a task of a simulated process, and `limitMs` of simulated time. Throws when the task throws or has not ended by then. */
export async function runTask(simulation: Simulation, process: SimProcess, task: () => Promise<void>, limitMs: number): Promise<void> {
  let done = false
  process.after(0, 'task', () => {
    void task().then(
      () => {
        done = true
      },
      (error: unknown) => simulation.fail(error),
    )
  })
  await simulation.run(simulation.nowMs + limitMs)
  assert.ok(done, `the task did not end within ${limitMs / 1_000} s`)
}
