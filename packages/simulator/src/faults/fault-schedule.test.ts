import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { Judges } from '../judges/judges.ts'
import { judgeLiveness } from '../judges/liveness-judge.ts'
import { buildL2Start, type L2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'
import { FAULT_KINDS } from './fault-kinds.ts'
import { FaultSchedule } from './fault-schedule.ts'

const START_MS = 1_800_000_000_000
const SECOND_MS = 1_000
const crypto = createNativeCrypto()

describe('the faults of a simulated network', function () {
  this.timeout(600_000)
  let l2: L2Start

  const open = (seed: number) =>
    new RollupWorld({
      seed,
      startMs: START_MS,
      validators: 1,
      transactionsPerSec: 0.2,
      crypto,
      l2,
      logger: () => createSilentLogger(),
    })

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  it('leave kinds and rates to the seed, and every kind has its turn', () => {
    const drawn = Array.from({ length: 20 }, (_, seed) =>
      new FaultSchedule(open(seed), 'swarm', START_MS + 1).kinds.map(({ kind, rate }) => `${kind.name} ${rate.toFixed(3)}`),
    )
    assert.equal(new Set(drawn.map(String)).size, drawn.length)
    const names = new Set(drawn.flat().map((text) => text.split(' ')[0]))
    assert.deepEqual([...names].sort(), FAULT_KINDS.map(({ name }) => name).sort())
  })

  it('are only of the chosen kinds', () => {
    const { kinds } = new FaultSchedule(open(1), ['kill', 'l1-reorg'], START_MS + 1)
    assert.deepEqual(
      kinds.map(({ kind }) => kind.name),
      ['kill', 'l1-reorg'],
    )
  })

  it('break no rule, one after the other, and the network recovers', async () => {
    const world = open(3)
    const { simulation } = world
    const judges = new Judges(world)
    const run = (seconds: number) => simulation.run(simulation.nowMs + seconds * SECOND_MS)
    world.start()
    judges.start()
    await run(60)
    for (const kind of FAULT_KINDS) {
      const fault = kind.inject(world, simulation.seed.random(`test ${kind.name}`))
      assert.ok(fault !== null, `${kind.name} found no victim`)
      world.lastFaultMs = simulation.nowMs
      await run(20)
      fault.heal()
      await run(20)
    }
    await run(180)
    judgeLiveness(world, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
  })
})
