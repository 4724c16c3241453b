import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { EngineApiError } from '@keelson/primitives'
import { runTask } from '../../../../test/support/simulated-task.ts'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import { SimulatedPorts } from './simulated-ports.ts'

const START_MS = 1_800_000_000_000
const HOST = 'server:8551'

interface Doubling {
  double(n: number): Promise<number>
}

function open(port: Doubling = { double: async (n) => 2 * n }) {
  const simulation = new Simulation(createSeed(1), START_MS)
  const network = new SimulatedNetwork(simulation)
  const ports = new SimulatedPorts(network)
  const server = simulation.process('server/role')
  const process = simulation.process('client/role')
  ports.offer(HOST, server, port)
  const double = (n: number, retry = false) =>
    ports.call({ machine: 'client', process }, HOST, {
      what: 'double',
      timeoutMs: 1_000,
      retry,
      run: (served: Doubling) => served.double(n),
      contentOf: String,
    })
  const run = async (task: () => Promise<void>) => {
    await runTask(simulation, process, task, 60_000)
  }
  return { simulation, network, server, double, run }
}

function failsWith(code: string) {
  return (error: unknown) => error instanceof ClientError && error.code === code && error.severity === 'temporary'
}

describe('calls between simulated processes', () => {
  it('take two latencies of the link', async () => {
    const { simulation, double, run } = open()
    await run(async () => {
      assert.equal(await double(4), 8)
      const tookMs = simulation.nowMs - START_MS
      assert.ok(tookMs >= 40 && tookMs <= 60, `${tookMs} ms`)
    })
  })

  it('are refused by a killed process, and time out over a cut link', async () => {
    const { network, server, double, run } = open()
    await run(async () => {
      network.cut('server', 'client')
      await assert.rejects(double(1), failsWith('client/timeout'))
      network.mend('server', 'client')
      server.kill()
      await assert.rejects(double(1), failsWith('client/unreachable'))
    })
  })

  it('wait for a frozen process, and are tried again when they may be', async () => {
    const { simulation, server, double, run } = open()
    server.freeze()
    simulation.after(500, null, 'thaw', () => server.thaw())
    await run(async () => {
      assert.equal(await double(1), 2)
      assert.ok(simulation.nowMs - START_MS >= 500)
      server.freeze()
      simulation.after(1_500, null, 'thaw', () => server.thaw())
      assert.equal(await double(2, true), 4)
    })
  })

  it('fail with the errors of the engine, and with a temporary one for any other', async () => {
    const errors = [new EngineApiError('engine/unknown-payload', 'gone'), new Error('No space left on device')]
    const { double, run } = open({ double: async (n) => Promise.reject(errors[n]) })
    await run(async () => {
      await assert.rejects(double(0), (error: unknown) => error === errors[0])
      await assert.rejects(double(1), failsWith('client/rpc'))
    })
  })
})
