import assert from 'node:assert/strict'
import { readOptions } from './options.ts'
import { USAGE } from './usage.ts'

const read = (...argv: readonly string[]) => readOptions(argv, () => 5)

describe('the options of npm run simulate', () => {
  it('have defaults, and draw a seed', () => {
    assert.deepEqual(read(), {
      seed: 5,
      seeds: null,
      plan: { days: 0.05, validators: 2, transactionsPerSec: 1, recoveryMinutes: 30, kinds: [], rate: 1 },
      schedule: null,
      workers: 1,
      minutes: 1_000_000,
      shrinkMinutes: null,
      save: null,
      watch: false,
      speed: null,
      record: null,
      json: false,
      log: 'silent',
    })
  })

  it('reads fractions of days and of transactions', () => {
    const options = read('--seed', '7', '--days', '0.5', '--tps', '0.1', '--json')
    assert.deepEqual([options?.seed, options?.plan.days, options?.plan.transactionsPerSec, options?.json], [7, 0.5, 0.1, true])
  })

  it('reads the forks that activate, or leaves them to the seed', () => {
    assert.deepEqual(read('--upgrade', 'jovian@60')?.plan.upgrades, [{ fork: 'jovian', atSec: 60 }])
    assert.equal(read('--upgrade', 'swarm')?.plan.upgrades, 'swarm')
  })

  it('reads how a run is shown and recorded', () => {
    const options = read('--seed', '7', '--watch', '--speed', '0.5', '--record', 'run.jsonl')
    assert.deepEqual([options?.watch, options?.speed, options?.record], [true, 0.5, 'run.jsonl'])
  })

  it('reads how soon L1 is final, and how small frames are', () => {
    const plan = read('--l1-finality', '16', '--frame-bytes', '2000')?.plan
    assert.deepEqual([plan?.l1FinalityBlocks, plan?.frameBytes], [16, 2_000])
  })

  it('reads a range of seeds', () => {
    assert.deepEqual(read('--seeds', '3..12', '--workers', '2')?.seeds, [3, 12])
  })

  it('takes kinds of faults that the network can have', () => {
    assert.deepEqual(read('--faults', 'leader-power,kill', '--sequencers', '2')?.plan.kinds, ['leader-power', 'kill'])
    assert.equal(read('--faults', 'all')?.plan.kinds.includes('leader-power'), true)
  })

  it('gives null for --help, whose text has examples', () => {
    assert.equal(read('--help'), null)
    assert.match(USAGE, /examples:\n {2}npm run simulate -- --seed 7/)
  })

  for (const [argv, message] of [
    [['--seed', '1.5'], /^--seed: expected a whole number from 0 to 2147483647, got 1\.5$/],
    [['--days', 'x'], /^--days: expected a number from 0\.001 to 366, got "x"$/],
    [['--days', '0'], /^--days: expected a number from 0\.001/],
    [['--tps', 'NaN'], /^--tps: expected a number/],
    [['--validators', ''], /^--validators: expected a whole number from 0 to 20, got ""$/],
    [['--seeds', '9..3'], /^--seeds: expected A\.\.B, .* A not above B; got 9\.\.3$/],
    [['--seeds', '9'], /^--seeds: expected A\.\.B, .*got 9$/],
    [['--seeds', '1..9999999999'], /^--seeds: expected a whole number from 0 to 2147483647/],
    [['--seed', '9', '--schedule', 'file'], /^--seed, --schedule: use only one of them$/],
    [['--schedule', 'file', '--days', '5', '--staking'], /^--days, --staking: the file of --schedule decides this/],
    [['--seeds', '1..2', '--shrink', '5', '--watch'], /^--shrink, --watch: works with one seed only/],
    [['--seeds', '1..2', '--record', 'run.jsonl'], /^--record: works with one seed only/],
    [['--seed', '1', '--workers', '2'], /^--workers: works with several seeds only/],
    [['--watch', '--json'], /^--watch, --json: use only one of them$/],
    [['--frame-bytes', '10'], /^--frame-bytes: expected a whole number from 1000/],
    [['--speed', '0'], /^--speed: expected a number from 0\.01/],
    [['--log', 'loud'], /^--log: expected one of silent/],
    [['--faults', 'kill,flood'], /^--faults: expected none, swarm, all or a list of kill, .*got flood$/],
    [['--faults', 'leader-power'], /^--faults: leader-power has no victim in this network: it needs several sequencers$/],
    [['--faults', 'validator-kill'], /^--faults: .* it needs validators that stake$/],
    [['--faults', 'old-copy', '--validators', '0'], /^--faults: .* it needs validators$/],
    [['--upgrade', 'jovian'], /^--upgrade: expected FORK@SECONDS, got jovian$/],
    [['--nonsense'], /nonsense/],
  ] as const) {
    it(`rejects ${argv.join(' ')}`, () => {
      assert.throws(() => read(...argv), { message })
    })
  }
})
