import assert from 'node:assert/strict'
import { readOptions, USAGE } from './options.ts'

describe('the options of npm run simulate', () => {
  it('have defaults, and draw a seed', () => {
    assert.deepEqual(
      readOptions([], () => 5),
      { seed: 5, days: 0.05, validators: 2, transactionsPerSec: 1, faults: [], json: false, log: 'silent' },
    )
  })

  it('reads fractions of days and of transactions', () => {
    const options = readOptions(['--seed', '7', '--days', '0.5', '--tps', '0.1', '--json'], () => 0)
    assert.deepEqual([options?.seed, options?.days, options?.transactionsPerSec, options?.json], [7, 0.5, 0.1, true])
  })

  it('gives null for --help, whose text has examples', () => {
    assert.equal(
      readOptions(['--help'], () => 0),
      null,
    )
    assert.match(USAGE, /examples:\n {2}npm run simulate -- --seed 7/)
  })

  for (const [argv, message] of [
    [['--seed', '1.5'], /--seed: expected a number from 0/],
    [['--days', 'x'], /--days: expected a number/],
    [['--validators', ''], /--validators: expected a number/],
    [['--log', 'loud'], /--log: expected one of silent/],
    [['--faults', 'kill,flood'], /--faults: expected none, swarm, all or a list of kill, .*got flood/],
    [['--nonsense'], /nonsense[\s\S]*usage:/],
  ] as const) {
    it(`rejects ${argv.join(' ')}`, () => {
      assert.throws(() => readOptions(argv, () => 0), message)
    })
  }
})
