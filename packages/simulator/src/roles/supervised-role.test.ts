import assert from 'node:assert/strict'
import { createNativeCrypto } from '@keelson/node/assembly'
import { createSilentLogger } from '@keelson/runtime'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedDisk } from '../disk/simulated-disk.ts'
import { createStandInKzg } from '../l1/stand-in-kzg.ts'
import { SimulatedHttp } from '../network/simulated-http.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { SimulatedPorts } from '../network/simulated-ports.ts'
import { createHost, type Host, type SimulatedWorld } from './host.ts'
import { RESTART_MS, SupervisedRole } from './supervised-role.ts'

const START_MS = 1_800_000_000_000
const BUG = new Error('a bug')
const LAST_WORD = new Error('exit code 3')

function open(act: (host: Host, run: number) => Promise<void>, stop?: (host: Host) => Promise<void>) {
  const simulation = new Simulation(createSeed(1), START_MS)
  const network = new SimulatedNetwork(simulation)
  const world: SimulatedWorld = {
    simulation,
    network,
    http: new SimulatedHttp(network),
    ports: new SimulatedPorts(network),
    realRpc: true,
    kzg: createStandInKzg(createNativeCrypto()),
    crypto: createNativeCrypto(),
    logger: () => createSilentLogger(),
  }
  const startedAtMs: number[] = []
  const ended: number[] = []
  const role = new SupervisedRole({
    simulation,
    open: () => createHost(world, 'machine', 'role'),
    async start(host) {
      startedAtMs.push(simulation.nowMs - START_MS)
      const run = startedAtMs.length
      const failure = act(host, run).then(() => new Promise<never>(() => undefined))
      return { run, failure, ...(stop !== undefined && { stop: () => stop(host) }) }
    },
    endsForGood: (error) => error === LAST_WORD,
    ended: ({ run }) => ended.push(run),
  })
  return {
    role,
    startedAtMs,
    ended,
    run: (ms: number) => simulation.run(simulation.nowMs + ms),
    disk: new SimulatedDisk(simulation, 'disk'),
  }
}

const forever = () => new Promise<never>(() => undefined)

describe('a supervised role', () => {
  it('starts again after a full disk ended it, as often as needed', async () => {
    const { role, startedAtMs, ended, run, disk } = open(async ({ process }) => {
      await disk.open(process).batch([{ put: Uint8Array.of(1), value: Uint8Array.of(2) }])
      await forever()
    })
    disk.full = true
    role.start()
    await run(2 * RESTART_MS + 1_000)
    disk.full = false
    await run(10 * RESTART_MS)
    assert.deepEqual(startedAtMs.map(Math.floor), [0, RESTART_MS, 2 * RESTART_MS, 3 * RESTART_MS])
    assert.deepEqual([role.restarts, ended], [3, [1, 2, 3]])
    assert.ok(role.role !== null)
  })

  it('does not start again while somebody keeps it killed', async () => {
    const { role, startedAtMs, run, disk } = open(({ process }) => disk.open(process).batch([{ del: Uint8Array.of(1) }]))
    disk.full = true
    role.start()
    await run(1_000)
    assert.equal(role.process, null)
    role.kill()
    await run(10 * RESTART_MS)
    assert.equal(startedAtMs.length, 1)
    disk.full = false
    role.start()
    await run(1)
    assert.deepEqual([startedAtMs.length, role.restarts], [2, 0])
  })

  it('finishes its work when it is stopped, and starts again only after that', async () => {
    const { role, startedAtMs, ended, run } = open(forever, ({ process }) => process.clock.sleep(3_000))
    role.start()
    await run(1_000)
    role.stop()
    role.start()
    await run(2_999)
    assert.deepEqual([startedAtMs.length, ended], [1, []])
    await run(2)
    assert.deepEqual([startedAtMs.map(Math.floor), ended], [[0, 4_000], [1]])
    role.stop()
    await run(10_000)
    assert.equal(role.process, null)
  })

  it('is killed when it does not stop in time, or has no way to stop', async () => {
    const stuck = open(forever, forever)
    stuck.role.start()
    await stuck.run(1_000)
    stuck.role.stop()
    await stuck.run(59_000)
    assert.notEqual(stuck.role.process, null)
    await stuck.run(2_000)
    assert.equal(stuck.role.process, null)
    const plain = open(forever)
    plain.role.start()
    await plain.run(1_000)
    plain.role.stop()
    assert.equal(plain.role.process, null)
  })

  it('never starts again after an exit code that forbids it', async () => {
    const { role, startedAtMs, run } = open(async ({ process }) => {
      await process.clock.sleep(1_000)
      throw LAST_WORD
    })
    role.start()
    await run(2_000)
    assert.equal(role.process, null)
    role.start()
    await run(10 * RESTART_MS)
    assert.deepEqual([startedAtMs.length, role.restarts, role.process], [1, 0, null])
  })

  it('ends the run with an error that nothing explains', async () => {
    const { role, run } = open(async () => {
      throw BUG
    })
    role.start()
    await assert.rejects(run(1_000), BUG)
  })
})
