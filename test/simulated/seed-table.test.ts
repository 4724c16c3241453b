import assert from 'node:assert/strict'
import { SeedTable } from './seed-table.ts'
import type { WorkerOutcome } from './worker-pool.ts'

const DAY_MS = 86_400_000
const violation = { atMs: 1, rule: 'money is conserved', text: '' }
const fault = { atMs: 1, kind: 'kill', victim: 'sequencer/execution', durationMs: 1, parameters: {} }

const outcome: WorkerOutcome = {
  traceHash: '',
  events: 100,
  simulatedMs: DAY_MS,
  violations: [],
  blocks: 10,
  transactions: 20,
  proposals: 1,
  faults: [fault, fault],
  processorMs: DAY_MS / 50,
  realMs: 1,
  peakRssBytes: 2 ** 20,
  rssBytes: 2 ** 30,
}

describe('the table of seeds', () => {
  it('adds runs up, and counts a seed once for each rule', () => {
    const table = new SeedTable()
    table.add({ seed: 2 }, { ...outcome, violations: [violation, violation] })
    table.add({ seed: 1 }, { ...outcome, peakRssBytes: 3 * 2 ** 20 })
    assert.deepEqual(table.toJson(), {
      seeds: 2,
      simulatedDays: 2,
      simulatedYears: 0.0055,
      speedup: 50,
      events: 200,
      blocks: 20,
      transactions: 40,
      peakRssMiB: 3,
      faults: { kill: 4 },
      violations: { 'money is conserved': 1 },
      failed: [2],
    })
  })

  it('counts a run whose process ended early as failed', () => {
    const table = new SeedTable()
    table.add({ seed: 1 }, outcome)
    table.lose({ seed: 2 })
    const { seeds, simulatedDays, failed, violations } = table.toJson()
    assert.deepEqual([seeds, simulatedDays, failed], [2, 1, [2]])
    assert.deepEqual(Object.values(violations), [1])
  })

  it('ends with the command of each seed that failed', () => {
    const table = new SeedTable()
    table.add({ seed: 7 }, { ...outcome, violations: [violation] })
    assert.equal(table.lines((seed) => `replay ${seed}`).at(-1), '  replay 7')
  })
})
