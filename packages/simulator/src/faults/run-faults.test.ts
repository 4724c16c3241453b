import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { Judges } from '../judges/judges.ts'
import { judgeLiveness } from '../judges/liveness-judge.ts'
import { buildL2Start, type L2Start } from '../roles/rollup-network.ts'
import { RollupWorld } from '../roles/rollup-world.ts'
import type { Fault } from './fault-kind.ts'
import { FAULT_KINDS } from './fault-kinds.ts'
import { machinesOf } from './machines.ts'
import { drawFault } from './plan-faults.ts'
import { runFaults } from './run-faults.ts'

const START_MS = 1_800_000_000_000
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const crypto = createNativeCrypto()

describe('the faults of a simulated network', function () {
  this.timeout(600_000)
  let l2: L2Start

  const open = (seed: number, { staking = false } = {}) =>
    new RollupWorld({
      seed,
      startMs: START_MS,
      validators: 1,
      transactionsPerSec: 0.2,
      staking,
      crypto,
      l2,
      logger: () => createSilentLogger(),
    })

  before(async () => {
    l2 = await buildL2Start(START_MS / 1000, crypto)
  })

  it('find their victims under the names that a plan uses', () => {
    const world = open(1)
    world.start()
    const { all, nodes, submitters } = machinesOf(1)
    assert.deepEqual(all, world.machines)
    assert.deepEqual(
      [nodes, submitters],
      [world.nodes, world.submitters].map((machines) => machines.map(({ name }) => name)),
    )
  })

  it('break no rule, one after the other, and the network recovers', async () => {
    const world = open(3, { staking: true })
    const { simulation } = world
    const judges = new Judges(world, 3 * MINUTE_MS)
    const kinds = FAULT_KINDS.filter(({ victims }) => victims(machinesOf(1, 1, true)).length > 0)
    const faults = kinds.map((kind, i) => {
      const fault = drawFault(kind, MINUTE_MS + i * 40 * SECOND_MS, machinesOf(1, 1, true), simulation.seed.random(`test ${kind.name}`))
      return { ...fault, durationMs: Math.min(fault.durationMs, 20 * SECOND_MS) }
    })
    world.start()
    judges.start()
    const happened = runFaults(world, faults)
    await simulation.run(START_MS + MINUTE_MS + kinds.length * 40 * SECOND_MS + 3 * MINUTE_MS)
    assert.deepEqual(happened, faults)
    judgeLiveness(world, world.nodes, (rule, text) => assert.fail(`${rule}: ${text}`))
    assert.deepEqual(judges.violations, [])
  })

  it('end only what they began: a machine without power stays down while a kill of its process ends', async () => {
    const world = open(4)
    const fault = { parameters: {}, atMs: 20 * SECOND_MS }
    const faults: Fault[] = [
      { ...fault, kind: 'power', victim: 'validator-1', durationMs: 60 * SECOND_MS },
      { ...fault, kind: 'kill', victim: 'validator-1/execution', durationMs: 20 * SECOND_MS },
      { ...fault, kind: 'partition', victim: 'validator-1', durationMs: 60 * SECOND_MS, parameters: { from: ['l1'], oneWay: false } },
      { ...fault, kind: 'partition', victim: 'l1', durationMs: 20 * SECOND_MS, parameters: { from: ['validator-1'], oneWay: true } },
    ]
    world.start()
    runFaults(world, faults)
    const stateAfter = async (seconds: number) => {
      await world.simulation.run(START_MS + seconds * SECOND_MS)
      const { network, nodes } = world
      return [nodes[1]?.running === null, network.isCut('validator-1', 'l1'), network.isCut('l1', 'validator-1')]
    }
    assert.deepEqual(await stateAfter(19), [false, false, false])
    assert.deepEqual(await stateAfter(50), [true, true, true])
    assert.deepEqual(await stateAfter(85), [false, false, false])
  })
})
