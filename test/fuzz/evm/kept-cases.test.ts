import assert from 'node:assert/strict'
import { compareOn } from './campaign.ts'
import { CORE_ENGINES, openRunner } from './engines/index.ts'
import { listKeptCases } from './kept-cases.ts'

describe('cases in which EVM engines differed once', () => {
  const [base, ...others] = CORE_ENGINES.map(openRunner)
  assert.ok(base !== undefined)
  for (const { name, symptom, subject } of listKeptCases()) {
    it(`${name} (${symptom}) has one answer`, async () => {
      for (const runner of others) {
        for (const trace of [false, true]) {
          if (runner.runs(subject)) assert.deepEqual(await compareOn(base, runner, subject, [trace, trace]), null, runner.name)
        }
      }
    })
  }
})
