import assert from 'node:assert/strict'
import { ClientError, createHttpRpcClient, RpcResponseError } from '@keelson/client'
import { createAnswerer, createSilentLogger, DEFAULT_RPC_LIMITS, RpcError, type RpcMethods } from '@keelson/runtime'
import { runTask } from '../../../../test/support/simulated-task.ts'
import { createSeed } from '../core/seed.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedHttp } from './simulated-http.ts'
import { SimulatedNetwork } from './simulated-network.ts'

const START_MS = 1_800_000_000_000

function open(methods: RpcMethods, seed = 1) {
  const simulation = new Simulation(createSeed(seed), START_MS)
  const network = new SimulatedNetwork(simulation)
  const http = new SimulatedHttp(network)
  const server = simulation.process('server')
  const client = simulation.process('client')
  const log = createSilentLogger()
  http.serve('server:8545', server, createAnswerer({ methods, limits: DEFAULT_RPC_LIMITS, log }))
  const rpc = createHttpRpcClient(
    { url: 'http://server:8545', timeoutMs: 1_000, retry: { attempts: 2 } },
    { clock: client.clock, random: client.random, log, http: http.client('client', client) },
  )
  return {
    simulation,
    network,
    server,
    rpc,
    async run(task: () => Promise<void>) {
      await runTask(simulation, client, task, 120_000)
    },
  }
}

describe('HTTP in a simulation', () => {
  it('carries calls and batches of the production client to production methods', async () => {
    const { rpc, run, simulation } = open({ add: ([a, b]) => Number(a) + Number(b) })
    await run(async () => {
      assert.equal(await rpc.call('add', [1, 2]), 3)
      assert.ok(simulation.nowMs - START_MS >= 40, 'a request takes two latencies')
      const outcomes = await rpc.batch([
        { method: 'add', params: [3, 4] },
        { method: 'missing', params: [] },
      ])
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.ok ? outcome.result : (outcome.error as RpcResponseError).number)),
        [7, -32601],
      )
    })
  })

  it('carries the error of a method', async () => {
    const { rpc, run } = open({
      fail: () => {
        throw new RpcError(-38001, 'unknown payload')
      },
    })
    await run(async () => {
      await assert.rejects(rpc.call('fail', []), (error: unknown) => error instanceof RpcResponseError && error.number === -38001)
    })
  })

  it('refuses a connection to a dead process, and times out at a frozen one', async () => {
    const { rpc, run, server } = open({ ping: () => 'pong' })
    await run(async () => {
      server.freeze()
      await assert.rejects(rpc.call('ping', []), (error: unknown) => error instanceof ClientError && error.code === 'client/timeout')
      server.thaw()
      assert.equal(await rpc.call('ping', []), 'pong')
      server.kill()
      await assert.rejects(rpc.call('ping', []), (error: unknown) => error instanceof ClientError && error.code === 'client/unreachable')
    })
  })

  it('resets the open requests of a process that is killed', async () => {
    const { rpc, run, server, simulation } = open({ hang: () => new Promise(() => undefined) })
    simulation.after(300, null, 'kill', () => server.kill())
    await run(async () => {
      await assert.rejects(
        rpc.call('hang', [], { retry: false }),
        (error: unknown) => error instanceof ClientError && error.code === 'client/unreachable',
      )
      const tookMs = simulation.nowMs - START_MS
      assert.ok(tookMs >= 320 && tookMs <= 340, `${tookMs} ms`)
    })
  })

  it('delivers an answer that was sent before the process was killed', async () => {
    const { rpc, run, server, network, simulation } = open({ ping: () => 'pong' })
    network.quality = { ...network.quality, latencyMs: 100, jitterMs: 0 }
    simulation.after(150, null, 'kill', () => server.kill())
    await run(async () => assert.equal(await rpc.call('ping', [], { retry: false }), 'pong'))
  })

  it('gets no answer and no refusal from a machine without power', async () => {
    const { rpc, run, server, network, simulation } = open({ hang: () => new Promise(() => undefined) })
    const isTimeout = (error: unknown) => error instanceof ClientError && error.code === 'client/timeout'
    simulation.after(300, null, 'power loss', () => {
      network.losePower('server')
      server.kill()
    })
    await run(async () => {
      await assert.rejects(rpc.call('hang', [], { retry: false }), isTimeout)
      assert.equal(simulation.nowMs - START_MS, 1_000)
      await assert.rejects(rpc.call('hang', [], { retry: false }), isTimeout)
      network.regainPower('server')
      await assert.rejects(
        rpc.call('hang', [], { retry: false }),
        (error: unknown) => error instanceof ClientError && error.code === 'client/unreachable',
      )
    })
  })

  it('times out while the link is cut in one direction, and works again afterwards', async () => {
    const { rpc, run, network } = open({ ping: () => 'pong' })
    await run(async () => {
      network.cut('server', 'client')
      await assert.rejects(rpc.call('ping', []), (error: unknown) => error instanceof ClientError && error.code === 'client/timeout')
      network.mend('server', 'client')
      assert.equal(await rpc.call('ping', []), 'pong')
    })
  })

  it('ends a method at the deadline of the server', async () => {
    const { rpc, run, simulation } = open({ hang: () => new Promise(() => undefined) })
    await run(async () => {
      await assert.rejects(rpc.call('hang', [], { timeoutMs: 60_000, retry: false }), /timed out after 30000 ms/)
      assert.ok(simulation.nowMs - START_MS < 31_000)
    })
  })

  it('does not warn of listeners when many requests hang at a process that dies', async () => {
    const { rpc, run, server } = open({ hang: () => new Promise(() => undefined) })
    const warnings: string[] = []
    const note = ({ name }: Error) => warnings.push(name)
    process.on('warning', note)
    await run(async () => {
      const calls = Array.from({ length: 20 }, () => rpc.call('hang', [], { retry: false }).catch(() => null))
      await Promise.all(calls)
      server.kill()
    })
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })

  it('delays a connection by losses instead of losing requests', async () => {
    const { rpc, run, network } = open({ ping: () => 'pong' })
    network.quality = { ...network.quality, loss: 0.4 }
    await run(async () => {
      for (let i = 0; i < 50; i++) assert.equal(await rpc.call('ping', [], { timeoutMs: 10_000 }), 'pong')
    })
    assert.ok(network.counts.resent > 0)
  })

  it('loses, duplicates and reorders datagrams at the rates of the link', async () => {
    const { simulation, network, server } = open({})
    network.quality = { latencyMs: 10, jitterMs: 20, loss: 0.2, duplication: 0.1 }
    const seen: number[] = []
    for (let i = 0; i < 1_000; i++)
      network.datagram('client', { machine: 'server', process: server }, new Uint8Array(0), () => seen.push(i))
    await simulation.run(START_MS + 1_000)
    const { sent, lost, duplicated } = network.counts
    assert.equal(sent, 1_000)
    assert.equal(seen.length, sent - lost + duplicated)
    assert.ok(lost > 100 && lost < 300, `${lost} lost`)
    assert.ok(duplicated > 40 && duplicated < 160, `${duplicated} duplicated`)
    assert.notDeepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    )
  })
})
