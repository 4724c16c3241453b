import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@keelson/primitives'
import {
  createHttpClient,
  createMemoryStore,
  createMetrics,
  createSilentLogger,
  createSystemClock,
  type HttpClient,
} from '@keelson/runtime'
import { etcdMember } from '../../../../test/support/etcd/etcd-member.ts'
import { findEtcd } from '../../../../test/support/etcd/find-etcd.ts'
import type { Restartable } from '../../../../test/support/etcd/role.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { blockOn, GENESIS } from '../conductor.test-support.ts'
import { createEtcdClient } from './etcd-client.ts'
import { EtcdUnavailable } from './etcd-error.ts'
import { forgetEtcd } from './etcd-memory.ts'
import { type EtcdStore, openEtcdStore } from './etcd-store.ts'

const etcd = findEtcd()
const REPORT = { id: 'a', address: 'memory:a', status: null, reason: 'it is only a test' }
const ONE = blockOn(GENESIS)
const TWO = blockOn(ONE.block)

describe(`the history of etcd${etcd === null ? ', without tests because etcd is not installed' : `, ${etcd.version}`}`, () => {
  if (etcd === null) return
  let folder: string
  let clientPort: number
  let peerPort: number
  let http: HttpClient
  let member: Restartable
  let strays: Restartable[]
  let services: EtcdStore['service'][]
  let said: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-etcd-'))
    ;[clientPort, peerPort] = [await freePort(), await freePort()]
    http = createHttpClient()
    strays = []
    services = []
    said = []
  })
  afterEach(async () => {
    for (const service of services) await service.stop()
    http.close()
    for (const each of [member, ...strays]) await each.kill()
    await rm(folder, { recursive: true })
  })

  const local = (port: number) => `http://127.0.0.1:${port}`
  const connect = (...endpoints: readonly string[]) => createEtcdClient({ endpoints, credentials: null, timeoutMs: 5_000 }, http)
  const run = async (place: string) => {
    await member?.kill()
    const flags = ['--initial-cluster-token', place === 'other' ? 'other' : 'first']
    member = etcdMember({ name: 'one', folder: join(folder, place), clientPort, peerPort, flags })
    member.start()
    await eventually('etcd answering', async () => (await connect(local(clientPort)).call('kv/range', { key: 'YQ==' })).header)
  }
  const open = (store = createMemoryStore(), endpoints: readonly string[] = [local(clientPort)]) => {
    const log: Logger = { ...createSilentLogger(), error: (message) => void said.push(message) }
    const shared = { client: connect(...endpoints), store, clock: createSystemClock(), log, metrics: createMetrics('keelson_conductor') }
    const opened = openEtcdStore({ prefix: 'keelson/test/', ttlSec: 60, own: ['a'], members: ['a', 'b'] }, shared)
    services.push(opened.service)
    return opened
  }
  /** Why an exchange is refused, by an etcd that answers. */
  const refusalOf = ({ peers }: EtcdStore) =>
    eventually('a refusal', () =>
      peers.exchange([REPORT]).then(
        () => null,
        (error: Error) => (error instanceof EtcdUnavailable ? null : error.message),
      ),
    )
  /** Records block 1, keeps a backup, and records block 2. */
  async function recordTwo(conductor: EtcdStore): Promise<void> {
    await run('first')
    await conductor.ledger.grant('a', 0)
    await conductor.ledger.adopt(1, GENESIS)
    assert.equal(await conductor.ledger.append(1, ONE), true)
    await member.kill()
    await cp(join(folder, 'first'), join(folder, 'backup'), { recursive: true })
    await run('first')
    assert.equal(await conductor.ledger.append(1, TWO), true)
  }

  for (const [symptom, place, fault] of [
    [
      'a conductor refuses an etcd that was restored from a backup',
      'backup',
      /restored from a backup: its (revision is \d+, and was \d+|record ends at block 1, and ended at block 2)$/,
    ],
    [
      'a conductor refuses an etcd that was replaced by another',
      'other',
      /replaced, or restored from a backup: its cluster id is \d+, and was \d+$/,
    ],
  ] as const) {
    it(`${symptom}, also after a restart, and goes on by itself when it gets the former one back`, async () => {
      const store = createMemoryStore()
      const conductor = open(store)
      await recordTwo(conductor)
      await run(place)
      assert.match(await refusalOf(conductor), fault)
      assert.match(said.join(), /its record may lack blocks that were published/)
      assert.equal(conductor.check().ok, false)
      assert.notEqual(await conductor.ledger.append(1, blockOn(TWO.block)).catch(() => null), true)
      await conductor.service.stop()
      const restarted = open(store)
      assert.match(await refusalOf(restarted), fault)
      assert.equal(restarted.ledger.head, null)
      await run('first')
      for (const each of [conductor, restarted]) {
        await each.peers.exchange([REPORT])
        assert.deepEqual([each.check().ok, each.ledger.head?.hash], [true, TWO.block.hash])
      }
    })
  }

  it('a conductor refuses a restored etcd whose record has grown again', async () => {
    const store = createMemoryStore()
    await recordTwo(open(store))
    await services[0]?.stop()
    await run('backup')
    const forgetful = open()
    await forgetful.peers.exchange([REPORT])
    for (let parent = blockOn(ONE.block, 1), i = 0; i < 20; parent = blockOn(parent.block), i++)
      assert.equal(await forgetful.ledger.append(1, parent), true)
    assert.match(await refusalOf(open(store)), /its record lacks block 2 with hash 0x/)
  })

  it('a conductor accepts another etcd after the operator made it forget the former', async () => {
    const store = createMemoryStore()
    const conductor = open(store)
    await recordTwo(conductor)
    await conductor.service.stop()
    await run('other')
    assert.match((await forgetEtcd(store)) ?? '', /"number":2/)
    const restarted = open(store)
    await restarted.peers.exchange([REPORT])
    assert.deepEqual([restarted.check().ok, restarted.ledger.head], [true, null])
    assert.equal(await forgetEtcd(createMemoryStore()), null)
  })

  it('one member of another cluster stops no conductor', async () => {
    const [port, strayPeer] = [await freePort(), await freePort()]
    strays.push(etcdMember({ name: 'stray', folder: join(folder, 'stray'), clientPort: port, peerPort: strayPeer }))
    strays[0]?.start()
    await eventually('the stray answering', async () => (await connect(local(port)).call('kv/range', { key: 'YQ==' })).header)
    const conductor = open(createMemoryStore(), [local(port), local(clientPort), local(clientPort)])
    await recordTwo(conductor)
    await conductor.peers.exchange([REPORT])
    assert.deepEqual([conductor.check().ok, conductor.ledger.head?.number], [true, 2])
    await member.kill()
    await assert.rejects(
      conductor.peers.exchange([REPORT]),
      (error: Error) => error instanceof EtcdUnavailable && /its cluster id is \d+, expected \d+/.test(error.message),
    )
  })
})
