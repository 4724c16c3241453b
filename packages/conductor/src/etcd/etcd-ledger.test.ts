import assert from 'node:assert/strict'
import type { Logger } from '@keelson/primitives'
import { createMemoryStore, createMetrics, createSilentLogger, createSystemClock, type Service } from '@keelson/runtime'
import { describeEtcd } from '../../../../test/support/etcd/describe-etcd.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { blockOn, GENESIS } from '../conductor.test-support.ts'
import { describeLedger } from '../ledger.test-support.ts'
import type { EtcdClient } from './etcd-client.ts'
import { EtcdUnavailable } from './etcd-error.ts'
import { type EtcdStore, openEtcdStore } from './etcd-store.ts'

const TTL_SEC = 2

describeEtcd('leadership in etcd', (etcd) => {
  const open = (prefix: string, own: readonly string[], by = etcd.client): EtcdStore =>
    openEtcdStore(
      { prefix, ttlSec: TTL_SEC, own, members: ['a', 'b'] },
      {
        client: by,
        store: createMemoryStore(),
        clock: createSystemClock(),
        log: createSilentLogger(),
        metrics: createMetrics('keelson_conductor'),
      },
    )
  const report = (id: string) => ({ id, address: `memory:${id}`, status: null, reason: 'it is only a test' })

  describeLedger('a ledger in etcd', async () => {
    const prefix = etcd.newPrefix()
    const services: Service[] = []
    const openStarted = async () => {
      const { ledger, service } = open(prefix, ['a', 'b'])
      await service.start(new AbortController().signal)
      services.push(service)
      return ledger
    }
    return { open: openStarted, close: async () => void (await Promise.all(services.map((service) => service.stop()))) }
  })

  async function twoConductors() {
    const prefix = etcd.newPrefix()
    const [a, b] = [open(prefix, ['a']), open(prefix, ['b'])]
    for (const [store, id] of [
      [a, 'a'],
      [b, 'b'],
    ] as const) {
      await store.service.start(new AbortController().signal)
      await store.peers.exchange([report(id)])
    }
    assert.equal(await a.ledger.grant('a', 0), true)
    assert.equal(await a.ledger.adopt(1, GENESIS), true)
    await b.ledger.refresh()
    return { prefix, a, b, stop: () => Promise.all([a.service.stop(), b.service.stop()]) }
  }

  it('gives nobody the term of a leader whose lease lives, and lets the leader hand it over', async () => {
    const { a, b, stop } = await twoConductors()
    assert.equal(await b.ledger.grant('b', 1), false)
    await a.peers.exchange([report('a')])
    assert.equal(await a.ledger.grant('b', 1), true)
    await b.ledger.refresh()
    assert.deepEqual(b.ledger.lease, { term: 2, holder: 'b' })
    assert.equal(await b.ledger.append(2, blockOn(GENESIS)), true)
    assert.equal(await a.ledger.append(1, blockOn(GENESIS, 1)), false)
    await stop()
  })

  it('a leader that believes in its lease after it has ended records nothing, and another leads in the next term', async () => {
    const { a, b, stop } = await twoConductors()
    const one = blockOn(GENESIS)
    assert.equal(await a.ledger.append(1, one), true)
    await a.service.stop()
    assert.deepEqual(a.ledger.lease, { term: 1, holder: 'a' })
    assert.equal(await a.ledger.append(1, blockOn(one.block, 1)), false, 'the lease is gone, though nobody leads yet')
    await b.ledger.refresh()
    assert.deepEqual(b.ledger.lease, { term: 1, holder: null })
    assert.equal(await b.ledger.grant('b', 1), true)
    assert.equal(await b.ledger.append(2, blockOn(one.block)), true)
    assert.equal(await a.ledger.append(1, blockOn(one.block, 1)), false)
    await a.ledger.refresh()
    assert.deepEqual([a.ledger.lease, a.ledger.head?.number], [{ term: 2, holder: 'b' }, 2])
    await stop()
  })

  it('a lease that nobody renews ends, and with it the leadership', async () => {
    const prefix = etcd.newPrefix()
    const [a, b] = [open(prefix, ['a']), open(prefix, ['b'])]
    assert.equal(await a.ledger.grant('a', 0), true)
    await eventually('b leading', async () => {
      await b.ledger.refresh()
      return b.ledger.grant('b', 1)
    })
    assert.equal(await a.ledger.adopt(1, GENESIS), false)
    await b.service.stop()
  })

  it('a conductor that etcd hears and whose answers are lost loses its lease', async () => {
    const prefix = etcd.newPrefix()
    let isLost = false
    const deaf: EtcdClient = {
      ...etcd.client,
      async call(call, body) {
        const answer = await etcd.client.call(call, body)
        if (isLost) throw new EtcdUnavailable('no answer')
        return answer
      },
    }
    const [a, b] = [open(prefix, ['a'], deaf), open(prefix, ['b'])]
    await a.service.start(new AbortController().signal)
    assert.equal(await a.ledger.grant('a', 0), true)
    isLost = true
    await eventually('b leading', async () => {
      await b.ledger.refresh()
      return b.ledger.grant('b', 1)
    })
    await Promise.all([a.service.stop(), b.service.stop()])
  })

  it('one of many writers of the same height gets its block out', async () => {
    const { prefix, a, stop } = await twoConductors()
    const twins = Array.from({ length: 8 }, () => open(prefix, ['a']).ledger)
    for (const twin of twins) await twin.refresh()
    const outcomes = await Promise.all([a.ledger, ...twins].map((ledger, i) => ledger.append(1, blockOn(GENESIS, i))))
    assert.equal(outcomes.filter(Boolean).length, 1)
    await a.ledger.refresh()
    assert.deepEqual(a.ledger.blockAt(1)?.hash, blockOn(GENESIS, outcomes.indexOf(true)).block.hash)
    await stop()
  })

  it('reads a large block in answers that a time limit for one answer allows', async () => {
    const { prefix, a, stop } = await twoConductors()
    const one = blockOn(GENESIS)
    const transactions = Array.from({ length: 40 }, (_, i) => new Uint8Array(100_000).fill(i))
    assert.equal(await a.ledger.append(1, { ...one, payload: { ...one.payload, transactions } }), true)
    let largest = 0
    const weighing: EtcdClient = {
      ...etcd.client,
      async call(call, body) {
        const answer = await etcd.client.call(call, body)
        largest = Math.max(largest, JSON.stringify(answer).length)
        return answer
      },
    }
    const { ledger } = open(prefix, ['b'], weighing)
    await ledger.refresh()
    assert.deepEqual((await ledger.payloadAt(1))?.payload.transactions, transactions)
    assert.ok(largest < 1_500_000, `an answer has ${largest} characters`)
    await stop()
  })

  it('reads the blocks again when another conductor moved the record to another chain', async () => {
    const { a, b, stop } = await twoConductors()
    const one = blockOn(GENESIS)
    await a.ledger.append(1, one)
    await b.ledger.refresh()
    await a.ledger.adopt(1, GENESIS)
    const other = blockOn(GENESIS, 1)
    await a.ledger.append(1, other)
    await b.ledger.refresh()
    assert.deepEqual([b.ledger.head?.hash, b.ledger.blockAt(1)?.hash], [other.block.hash, other.block.hash])
    await stop()
  })

  it('takes a new lease and reports under it when etcd has ended the former, and says nothing of passwords', async () => {
    const said: string[] = []
    const log: Logger = { ...createSilentLogger(), error: (message) => void said.push(message) }
    const prefix = etcd.newPrefix()
    let lease: unknown
    const seeing: EtcdClient = {
      ...etcd.client,
      async call(call, body) {
        const answer = await etcd.client.call(call, body)
        if (call === 'lease/grant') lease = answer.ID
        return answer
      },
    }
    const a = openEtcdStore(
      { prefix, ttlSec: 60, own: ['a'], members: ['a', 'b'] },
      { client: seeing, store: createMemoryStore(), clock: createSystemClock(), log, metrics: createMetrics('keelson_conductor') },
    )
    await a.peers.exchange([report('a')])
    await etcd.client.call('lease/revoke', { ID: lease })
    await a.peers.exchange([{ ...report('a'), reason: 'it changed' }])
    const b = open(prefix, ['b'])
    await b.peers.exchange([report('b')])
    await assert.rejects(async () => b.peers.candidates[0]?.status(), /it changed/)
    assert.deepEqual(said, [])
    await Promise.all([a.service.stop(), b.service.stop()])
  })

  it('shows what the other conductors report, until their lease ends', async () => {
    const { a, b, stop } = await twoConductors()
    const status = {
      unsafe: GENESIS,
      unsafeOrigin: { number: 1, hash: GENESIS.hash },
      safe: GENESIS,
      active: true,
      overridden: false,
      peers: 3,
    }
    await b.peers.exchange([{ id: 'b', address: 'http://b', status, reason: null }])
    await a.peers.exchange([report('a')])
    const [seen] = a.peers.candidates
    assert.deepEqual([seen?.id, seen?.address, await seen?.status()], ['b', 'http://b', status])
    await b.service.stop()
    await a.peers.exchange([report('a')])
    await assert.rejects(async () => seen?.status(), /its conductor is not connected to etcd/)
    await stop()
  })
})
