import assert from 'node:assert/strict'
import { readScenario, type Scenario, scenarioToJson } from '@keelson/simulator'
import { shrink } from './shrink.ts'

const kill = (minute: number, victim: string) => ({ atMs: minute * 60_000, kind: 'kill', victim, durationMs: 1_000, parameters: {} })

const scenario: Scenario = {
  seed: 1,
  days: 1,
  validators: 3,
  transactionsPerSec: 1,
  recoveryMinutes: 30,
  faults: [
    kill(1, 'sequencer/execution'),
    kill(2, 'validator-3/consensus'),
    kill(3, 'validator-1/execution'),
    kill(4, 'sequencer/consensus'),
    kill(5, 'validator-2/execution'),
    kill(900, 'sequencer/execution'),
  ],
}
const violation = { atMs: 600 * 60_000, rule: 'a rule', text: '' }

/** Breaks the rule ten minutes after both. */
async function run({ faults, transactionsPerSec }: Scenario) {
  const needed = [1, 3].every((minute) => faults.some(({ atMs }) => atMs === minute * 60_000))
  const other = { atMs: 0, rule: 'another rule', text: '' }
  return { violations: needed && transactionsPerSec > 0 ? [other, { ...violation, atMs: 13 * 60_000 }] : [other] }
}

describe('shrinking a schedule', () => {
  it('keeps the faults, nodes, users and time that the violation needs', async () => {
    const said: string[] = []
    const kept: Scenario[] = []
    const smallest = await shrink(scenario, violation, { minutes: 1, keep: (one) => kept.push(one), say: (line) => said.push(line), run })
    assert.deepEqual(
      smallest.faults.map(({ atMs }) => atMs / 60_000),
      [1, 3],
    )
    assert.deepEqual([smallest.seed, smallest.validators, smallest.transactionsPerSec], [1, 1, 1])
    assert.equal(Math.round(smallest.days * 24 * 60), 14)
    assert.equal(kept.at(-1), smallest)
    assert.equal(said.length, kept.length + 1)
    assert.match(said.at(-1) ?? '', /^no step/)
  })

  it('gives the schedule back when nothing smaller breaks the rule', async () => {
    const said: string[] = []
    const tools = {
      minutes: 1,
      keep: () => assert.fail('kept'),
      say: (line: string) => said.push(line),
      run: async () => ({ violations: [] }),
    }
    assert.equal(await shrink(scenario, violation, tools), scenario)
    assert.equal(said.length, 1)
  })

  it('leaves out faults that need more validators than are left, so that the schedule can be read', async () => {
    const doubleVote = {
      atMs: 120_000,
      kind: 'double-vote',
      victim: 'validator-1',
      durationMs: 0,
      parameters: { onChain: true, sameBlock: true },
    }
    const staking: Scenario = { ...scenario, staking: true, validators: 2, faults: [doubleVote] }
    const runs = async ({ validators }: Scenario) => ({ violations: validators === 1 ? [violation] : [] })
    const smallest = await shrink(staking, violation, { minutes: 1, keep: () => undefined, say: () => undefined, run: runs })
    assert.deepEqual([smallest.validators, smallest.faults], [1, []])
    assert.deepEqual(readScenario(scenarioToJson(smallest)), smallest)
  })
})
