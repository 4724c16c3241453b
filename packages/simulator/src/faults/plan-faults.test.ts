import assert from 'node:assert/strict'
import { createSeed } from '../core/seed.ts'
import { MINUTE_MS } from './fault-kind.ts'
import { FAULT_KINDS } from './fault-kinds.ts'
import { machinesOf } from './machines.ts'
import { planFaults } from './plan-faults.ts'

const machines = machinesOf(2, 2, true)
/** Some kinds need conductors, and others need a network without them. */
const networks = [machines, machinesOf(2, 1, true)]
const untilMs = 48 * 60 * MINUTE_MS
const names = FAULT_KINDS.map(({ name }) => name).sort()

function plan(seed: number, kinds: readonly string[] | 'swarm', rate = 1, network = machines) {
  return planFaults(createSeed(seed), { kinds, machines: network, untilMs, rate })
}

describe('a plan of faults', () => {
  it('leaves kinds to the seed, and every kind has its turn', () => {
    const seeds = Array.from({ length: 12 }, (_, seed) => seed)
    const kinds = networks.flatMap((network) => seeds.map((seed) => [...new Set(plan(seed, 'swarm', 1, network).map(({ kind }) => kind))]))
    assert.ok(kinds.every((drawn) => drawn.length < names.length))
    assert.deepEqual([...new Set(kinds.flat())].sort(), names)
  })

  it('has only the chosen kinds, whose faults do not depend on the others', () => {
    const kills = plan(1, ['kill'])
    assert.deepEqual([...new Set(kills.map(({ kind }) => kind))], ['kill'])
    assert.deepEqual(
      plan(1, names).filter(({ kind }) => kind === 'kill'),
      kills,
    )
  })

  it('is in the order of time, names victims that exist, and is over at its end', () => {
    const faults = plan(2, names)
    for (const [i, { atMs, durationMs, kind, victim }] of faults.entries()) {
      assert.ok(atMs >= (faults[i - 1]?.atMs ?? 2 * MINUTE_MS) && atMs + durationMs <= untilMs)
      assert.ok(
        FAULT_KINDS.find(({ name }) => name === kind)
          ?.victims(machines)
          .includes(victim),
      )
    }
  })

  it('has more faults at a higher rate', () => {
    const [usual, more] = [plan(3, names).length, plan(3, names, 5).length]
    assert.ok(more > 4 * usual && more < 6 * usual, `${usual} and ${more}`)
  })
})
