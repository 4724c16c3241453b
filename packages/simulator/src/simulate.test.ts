import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { buildL2Start, type L2Start } from './roles/rollup-network.ts'
import { type RunResult, simulate } from './simulate.ts'

const START_MS = 1_800_000_000_000
const MINUTES = 1 / (24 * 60)
const crypto = createNativeCrypto()

describe('a simulated network', function () {
  this.timeout(300_000)
  let l2: L2Start
  let first: RunResult

  const run = () =>
    simulate({
      seed: 1,
      days: 2 * MINUTES,
      validators: 1,
      transactionsPerSec: 1,
      recoveryMinutes: 30,
      faults: [],
      crypto,
      l2,
      startMs: START_MS,
      logger: () => createSilentLogger(),
    })

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
    first = await run()
  })

  it('makes blocks, accepts transactions, and breaks no rule', () => {
    assert.deepEqual(first.violations, [])
    assert.ok(first.blocks >= 60, `${first.blocks} blocks`)
    assert.ok(first.transactions >= 110, `${first.transactions} transactions`)
  })

  it('has the same trace hash for the same seed', async () => {
    const again = await run()
    assert.deepEqual([again.traceHash, again.events], [first.traceHash, first.events])
  })
})
