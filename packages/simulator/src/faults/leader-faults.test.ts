import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { Judges } from '../judges/judges.ts'
import { judgeLiveness } from '../judges/liveness-judge.ts'
import { buildL2Start, type L2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'
import type { Fault } from './fault-kind.ts'
import { machinesOf } from './machines.ts'
import { runFaults } from './run-faults.ts'

const START_MS = 1_800_000_000_000
const SECOND_MS = 1_000
const crypto = createNativeCrypto()

describe('several simulated sequencers', function () {
  this.timeout(600_000)
  let l2: L2Start
  let world: RollupWorld
  let judges: Judges

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  beforeEach(() => {
    const logger = () => createSilentLogger()
    world = new RollupWorld({ seed: 1, startMs: START_MS, sequencers: 2, validators: 1, transactionsPerSec: 1, crypto, l2, logger })
    judges = new Judges(world, 180 * SECOND_MS)
    world.start()
    judges.start()
  })

  const runUntil = (seconds: number) => world.simulation.run(START_MS + seconds * SECOND_MS)
  const plan = (...faults: readonly Partial<Fault>[]) => {
    const defaults = { kind: '', victim: 'leader', atMs: 0, durationMs: 0, parameters: {} }
    return runFaults(
      world,
      faults.map((fault) => ({ ...defaults, ...fault })),
    )
  }
  const unsafe = () => world.nodes.at(-1)?.running?.consensus.driver.heads?.unsafe.number ?? 0
  /** Leader, and blocks of the validator. */
  const at = async (seconds: number) => {
    await runUntil(seconds)
    return [world.cluster?.leader ?? null, unsafe()] as const
  }

  it('have the machines that a plan uses', () => {
    const { all, sequencers } = machinesOf(1, 2)
    assert.deepEqual(all, world.machines)
    assert.deepEqual(
      sequencers,
      world.sequencers.map(({ name }) => name),
    )
  })

  it('make blocks with another leader after the first lost its power, and it follows when it is back', async () => {
    plan({ kind: 'leader-power', atMs: 40 * SECOND_MS, durationMs: 60 * SECOND_MS })
    const [first] = await at(39)
    const [second, blocks] = await at(55)
    const [, later] = await at(95)
    assert.ok(first !== null && second !== null && first !== second, `${first}, ${second}`)
    assert.ok(later > blocks + 15, `${blocks}, ${later}`)
    await runUntil(240)
    judgeLiveness(world, world.nodes, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
  })

  it('hand over when the operator asks', async () => {
    plan({ kind: 'leader-transfer', atMs: 40 * SECOND_MS })
    const [first] = await at(39)
    const [second, blocks] = await at(45)
    const [, later] = await at(60)
    assert.ok(second !== null && first !== second, `${first}, ${second}`)
    assert.ok(later > blocks + 4, `${blocks}, ${later}`)
    assert.deepEqual(judges.violations, [])
  })

  it('make no block without the store, and go on when it is back', async () => {
    plan({ kind: 'store-kill', victim: 'etcd', atMs: 40 * SECOND_MS, durationMs: 40 * SECOND_MS })
    const [, before] = await at(45)
    const [, during] = await at(79)
    const [, after] = await at(120)
    assert.equal(during, before)
    assert.ok(after > before + 30, `${before}, ${after}`)
    assert.deepEqual(judges.violations, [])
  })
})
