import assert from 'node:assert/strict'
import { createEtcdClient, type EtcdClient } from '@keelson/conductor'
import { createSeed } from '../core/seed.ts'
import type { SimProcess } from '../core/sim-process.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedNetwork } from '../network/simulated-network.ts'
import { ETCD, SimulatedEtcd } from './simulated-etcd.ts'

const START_MS = 1_800_000_000_000
const base64 = (text: string) => Buffer.from(text).toString('base64')
const KEY = base64('key')
const put = (value: string, lease?: unknown) => ({
  request_put: { key: KEY, value: base64(value), ...(lease === undefined ? {} : { lease }) },
})
const get = { request_range: { key: KEY } }
const isAbsent = { target: 'CREATE', result: 'EQUAL', key: KEY, create_revision: '0' }

describe('simulated etcd, under the production client', () => {
  let simulation: Simulation
  let etcd: SimulatedEtcd
  let server: SimProcess
  let client: EtcdClient

  beforeEach(() => {
    simulation = new Simulation(createSeed(1), START_MS)
    etcd = new SimulatedEtcd(new SimulatedNetwork(simulation), () => undefined)
    const asking = simulation.process('conductor/test')
    client = createEtcdClient({ endpoints: [`http://${ETCD}:2379`], credentials: null, timeoutMs: 500 }, etcd.client('conductor', asking))
    restart()
  })

  const restart = () => {
    server = simulation.process(`${ETCD}/server`)
    etcd.begin(server)
  }
  /** Runs `act` in simulated time, and then `seconds` more. */
  const run = async <T>(act: () => Promise<T>, seconds = 1): Promise<T> => {
    let outcome: { readonly value: T } | { readonly error: unknown } | null = null
    simulation.after(0, null, 'test', () => {
      act().then(
        (value) => {
          outcome = { value }
        },
        (error: unknown) => {
          outcome = { error }
        },
      )
    })
    await simulation.run(simulation.nowMs + seconds * 1_000)
    const ended = outcome as { readonly value: T } | { readonly error: unknown } | null
    if (ended === null) throw new Error('no answer')
    if ('error' in ended) throw ended.error
    return ended.value
  }
  const transact = (success: readonly object[], compare: readonly object[] = []) => client.call('kv/txn', { compare, success, failure: [] })
  const value = () => etcd.state.get('key')?.value
  const grant = () => run(() => client.call('lease/grant', { TTL: '2' }))

  it('writes only when the comparison holds', async () => {
    assert.equal((await run(() => transact([put('one')], [isAbsent]))).succeeded, true)
    const second = await run(() => transact([put('two')], [isAbsent]))
    assert.equal(second.succeeded, undefined)
    assert.deepEqual(value(), new TextEncoder().encode('one'))
  })

  it('gives all changes of a transaction the next revision, and reads none', async () => {
    const before = etcd.state.revision
    await run(() => transact([put('one'), { request_put: { key: base64('other'), value: '' } }]))
    await run(() => transact([get]))
    assert.deepEqual([etcd.state.revision, etcd.state.get('other')?.modRevision], [before + 1, before + 1])
  })

  it('removes the keys of a lease that nobody renews, within half a second of its end', async () => {
    const { ID } = await grant()
    await run(() => transact([put('one', ID)]))
    await run(() => client.call('lease/keepalive', { ID }), 1.8)
    assert.notEqual(value(), undefined)
    await simulation.run(simulation.nowMs + 800)
    assert.equal(value(), undefined)
  })

  it('refuses a write under a lease that has ended', async () => {
    const { ID } = await grant()
    await simulation.run(simulation.nowMs + 3_000)
    await assert.rejects(
      run(() => transact([put('one', ID)])),
      /lease not found/,
    )
    assert.equal(value(), undefined)
  })

  it('keeps what it confirmed when it is killed, and begins leases again', async () => {
    const { ID } = await grant()
    await run(() => transact([put('one', ID)]), 0.5)
    server.kill()
    await assert.rejects(
      run(() => transact([get])),
      /ECONNREFUSED/,
    )
    await simulation.run(simulation.nowMs + 60_000)
    restart()
    await simulation.run(simulation.nowMs + 1_500)
    assert.deepEqual(value(), new TextEncoder().encode('one'))
  })
})
