import assert from 'node:assert/strict'
import { FAULT_KINDS } from './faults/fault-kinds.ts'
import { planRun } from './plan-run.ts'
import { readScenario } from './read-scenario.ts'
import { scenarioToJson } from './scenario.ts'

const planned = planRun({
  seed: 4,
  days: 1,
  validators: 2,
  transactionsPerSec: 0.5,
  recoveryMinutes: 30,
  sequencers: 2,
  staking: true,
  kinds: FAULT_KINDS.map(({ name }) => name),
  rate: 2,
})
const fault = { atMs: 1, kind: 'l1-reorg', victim: 'l1', durationMs: 0, parameters: { depth: 3 } }
const small = { seed: 1, days: 0.1, validators: 1, transactionsPerSec: 1, recoveryMinutes: 5, faults: [fault] }

describe('a scenario in a file', () => {
  it('is read back as it was written, with every kind of fault', () => {
    assert.deepEqual(readScenario(scenarioToJson(planned)), planned)
    assert.deepEqual(readScenario(scenarioToJson({ ...planned, about: 'A title.', faults: [] })), {
      ...planned,
      about: 'A title.',
      faults: [],
    })
  })

  it('keeps the forks that activate, and says which do not fit together', () => {
    const upgrades = [{ fork: 'jovian', atSec: 60 } as const]
    assert.deepEqual(readScenario(scenarioToJson({ ...planned, upgrades })), { ...planned, upgrades })
    const wrong = JSON.stringify({ ...small, upgrades: [{ fork: 'jovian', atSec: 0.5 }] })
    assert.throws(() => readScenario(wrong), { message: /^upgrades: jovian: expected whole seconds/ })
  })

  it('may have small frames and an early final L1', () => {
    const given = { ...small, l1FinalityBlocks: 16, frameBytes: 1_000 }
    assert.deepEqual(readScenario(scenarioToJson(given)), given)
    assert.throws(
      () => readScenario(JSON.stringify({ ...given, l1FinalityBlocks: 65 })),
      /^Error: l1FinalityBlocks: .* from 2 to 64, got 65$/,
    )
  })

  it('may have a clock that is behind', () => {
    const jump = { ...fault, kind: 'clock-jump', victim: 'batcher', parameters: { ms: -1_500 } }
    assert.deepEqual(readScenario(JSON.stringify({ ...small, faults: [jump] })).faults, [jump])
  })

  it('is refused when the file is not JSON', () => {
    assert.throws(() => readScenario('{"seed":'), { message: /^expected JSON, as --save writes it: / })
  })

  it('has its faults in the order of time', () => {
    const faults = [{ ...fault, atMs: 9 }, fault]
    assert.deepEqual(
      readScenario(JSON.stringify({ ...small, faults })).faults.map(({ atMs }) => atMs),
      [1, 9],
    )
  })

  for (const [wrong, message] of [
    [{ ...small, seed: -1 }, /^seed: expected a whole number from 0 to 2147483647, got -1$/],
    [{ ...small, seed: 1.5 }, /^seed: expected a whole number/],
    [{ ...small, days: 0 }, /^days: expected a number from 0.001 to 366, got 0$/],
    [{ ...small, stakng: true }, /^the scenario: stakng is unknown; expected seed, days, /],
    [{ ...small, staking: 'yes' }, /^staking: expected true or false, got yes$/],
    [{ ...small, faults: [{ ...fault, atMs: 9e14 }] }, /^faults\[0\].atMs: expected a number from 0 to 31622400000, got 900000000000000$/],
    [{ ...small, faults: [{ ...fault, times: 2 }] }, /^faults\[0\]: times is unknown; expected atMs, /],
    [
      { ...small, faults: [{ ...fault, kind: 'leader-power', victim: 'leader' }] },
      /^faults\[0\].kind: leader-power has no victim in this network: it needs several sequencers$/,
    ],
    [
      { ...small, faults: [{ ...fault, kind: 'l1-stall', parameters: { depth: 1 } }] },
      /^faults\[0\].parameters: l1-stall takes no parameters$/,
    ],
    [{ ...small, faults: [{ ...fault, parameters: { depth: 2.5 } }] }, /^faults\[0\].parameters.depth: expected a whole number .*got 2.5$/],
    [{ ...small, faults: {} }, /^faults: expected a list$/],
    [{ ...small, faults: [{ ...fault, kind: 'flood' }] }, /^faults\[0\].kind: expected one of kill, .*got flood$/],
    [
      { ...small, faults: [{ ...fault, kind: 'kill', parameters: {} }] },
      /^faults\[0\].victim: expected one of sequencer\/execution, .*got l1$/,
    ],
    [{ ...small, faults: [{ ...fault, parameters: {} }] }, /^faults\[0\].parameters.depth: expected a whole number .*got undefined$/],
    [
      { ...small, faults: [{ ...fault, parameters: { depth: -1 } }] },
      /^faults\[0\].parameters.depth: expected a whole number from 1 to .*got -1$/,
    ],
    [{ ...small, faults: [{ ...fault, parameters: { depth: 1, size: 2 } }] }, /^faults\[0\].parameters: size is unknown; expected depth$/],
  ] as const) {
    it(`is refused: ${message.source.slice(1, 60)}`, () => {
      assert.throws(() => readScenario(JSON.stringify(wrong)), { message })
    })
  }
})
