import assert from 'node:assert/strict'
import { createMemoryStore, createMetrics, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { describeEtcd } from '../../../../test/support/etcd/describe-etcd.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { type Arbiter, createArbiter } from '../arbiter.ts'
import { BLOCK_TIME_SEC, blockOn, createFakeCandidate, type FakeCandidate, GENESIS } from '../conductor.test-support.ts'
import { defaultConductorOptions } from '../options.ts'
import type { EtcdClient } from './etcd-client.ts'
import { EtcdUnavailable } from './etcd-error.ts'
import { type EtcdStore, openEtcdStore } from './etcd-store.ts'

const IDS = ['a', 'b', 'c'] as const

interface Place {
  readonly candidate: FakeCandidate
  readonly store: EtcdStore
  readonly arbiter: Arbiter
  runs: boolean
  /** Its conductor does not reach etcd. */
  isCutOff: boolean
}

describeEtcd('conductors that share a ledger', (etcd) => {
  let places: Record<(typeof IDS)[number], Place>
  let prefix: string
  /** Added to the clocks of all. */
  let laterMs: number
  beforeEach(async () => {
    prefix = etcd.newPrefix()
    laterMs = 0
    const system = createSystemClock()
    const clock = { ...system, monotonicMs: () => system.monotonicMs() + laterMs }
    const open = async (id: string): Promise<Place> => {
      const shared = { clock, log: createSilentLogger(), metrics: createMetrics('keelson_conductor') }
      const client: EtcdClient = {
        ...etcd.client,
        async call(call, body) {
          if (place.isCutOff) throw new EtcdUnavailable('no answer')
          return etcd.client.call(call, body)
        },
      }
      const store = openEtcdStore({ prefix, ttlSec: 2, own: [id], members: IDS }, { client, store: createMemoryStore(), ...shared })
      const candidate = createFakeCandidate(id)
      const arbiter = createArbiter(defaultConductorOptions(BLOCK_TIME_SEC), {
        candidates: [candidate],
        ledger: store.ledger,
        peers: store.peers,
        l1: { hashAt: async () => null },
        originOf: () => ({ number: 1, hash: GENESIS.hash }),
        ...shared,
      })
      const place: Place = { candidate, store, arbiter, runs: true, isCutOff: false }
      await store.service.start(new AbortController().signal)
      return place
    }
    const [a, b, c] = await Promise.all(IDS.map(open))
    places = { a, b, c } as typeof places
  })
  afterEach(() => Promise.all(Object.values(places).map(({ store }) => store.service.stop())))

  const all = () => Object.values(places)
  const until = <T>(what: string, probe: () => T | null | false) =>
    eventually(what, async () => {
      for (const { arbiter, runs } of all()) if (runs) await arbiter.step().catch(() => undefined)
      return probe()
    })
  const leading = () => all().find(({ candidate, arbiter, runs }) => runs && arbiter.leads(candidate.id) && candidate.state.active) ?? null
  const seal = async ({ candidate, arbiter }: Place, salt = 0) => {
    const next = blockOn(candidate.state.unsafe, salt)
    const outcome = await arbiter.commit(candidate.id, next)
    if (outcome.kind === 'recorded') candidate.state = { ...candidate.state, unsafe: next.block }
    return outcome.kind === 'recorded' ? next.block : outcome.reason
  }

  it('begin the record when all report their sequencers, with the highest of them, which leads', async () => {
    const { a, b, c } = places
    const first = blockOn(GENESIS).block
    b.candidate.state = { ...b.candidate.state, unsafe: first }
    c.runs = false
    await until('a and b knowing one another', () => !a.arbiter.illnessOf('b')?.startsWith('it does not answer'))
    assert.deepEqual([a.arbiter.head, b.arbiter.head], [null, null])
    c.runs = true
    assert.equal(await until('a leader', leading), b)
    assert.deepEqual(c.arbiter.head, { number: 1, hash: first.hash })
  })

  it('record blocks of the leader alone, and hand the leadership over on request to its conductor', async () => {
    const from = await until('a leader', leading)
    const [to, other] = all().filter((place) => place !== from) as [Place, Place]
    const one = await seal(from)
    assert.equal(await seal(to, 1), `${to.candidate.id} is not the leader (term ${to.arbiter.term} is ${from.candidate.id}'s)`)
    assert.match((await to.arbiter.transfer(to.candidate.id)) ?? '', /leads already|leads: ask the conductor beside it/)
    assert.equal(await from.arbiter.transfer(to.candidate.id), null)
    assert.equal(await until('the next leader', leading), to)
    assert.deepEqual(to.candidate.state.unsafe, one)
    assert.equal(from.candidate.state.active, false)
    assert.equal(typeof (await seal(from, 2)), 'string')
    assert.equal(typeof (await seal(to)), 'object')
    await until('the third knowing', () => other.arbiter.head?.number === 2)
  })

  it('go on without a conductor that is gone, from the block that it recorded and nobody received', async () => {
    const from = await until('a leader', leading)
    const one = await seal(from)
    from.runs = false
    await from.store.service.stop()
    const next = await until('another leader', leading)
    assert.deepEqual(next.candidate.state.unsafe, one)
    assert.equal(typeof (await seal(from, 1)), 'string')
    assert.equal(typeof (await seal(next)), 'object')
  })

  it('do not pass the leadership round while no sequencer can start, and use the first that can', async () => {
    for (const { candidate } of all()) candidate.refuses = 'the sequencer cannot lead yet: it has not read all of L1 yet'
    await until('a leader that cannot start', () => all().some(({ candidate, arbiter }) => arbiter.leads(candidate.id)))
    for (let i = 0; i < 40; i++) for (const { arbiter } of all()) await arbiter.step()
    const [{ arbiter }] = all() as [Place]
    assert.ok(arbiter.term <= 8, `term ${arbiter.term}`)
    for (const { candidate } of all()) candidate.refuses = null
    assert.equal(typeof (await seal((await until('a leader', leading)) as Place)), 'object')
  })

  it('stop the sequencer of a leader whose conductor is cut off from etcd, when its lease has run out', async () => {
    const from = await until('a leader', leading)
    from.isCutOff = true
    const next = await until('another leader', () => all().find((place) => place !== from && place.candidate.state.active) ?? null)
    await until('the former leader being stopped', () => !from.candidate.state.active)
    assert.equal(typeof (await seal(from, 1)), 'string')
    assert.equal(typeof (await seal(next)), 'object')
    from.isCutOff = false
    await until('its conductor knowing the leader', () => from.arbiter.leader?.id === next.candidate.id)
    assert.equal(from.candidate.state.active, false)
  })

  it('leave a sequencer that seals alone before etcd has answered once', async () => {
    const { a } = places
    a.isCutOff = true
    a.candidate.state = { ...a.candidate.state, active: true }
    for (let i = 0; i < 5; i++) await assert.rejects(a.arbiter.step())
    assert.deepEqual(a.candidate.told, [])
    a.isCutOff = false
    await until('a being stopped, because nobody leads yet', () => a.candidate.told[0] === 'stop')
  })

  it('do not stop a sequencer that an operator overrode while etcd is lost, and go on from its blocks when it restarts', async () => {
    const from = await until('a leader', leading)
    await seal(from)
    for (const place of all()) place.isCutOff = true
    await until('the leader being stopped', () => !from.candidate.state.active)
    const [alone, other] = all().filter((place) => place !== from) as [Place, Place]
    const { candidate } = alone
    candidate.state = { ...candidate.state, unsafe: from.candidate.state.unsafe, overridden: true, active: true }
    const extend = () => {
      const { unsafe } = candidate.state
      candidate.chain.set(unsafe.number, unsafe.hash)
      candidate.state = { ...candidate.state, unsafe: blockOn(unsafe).block }
    }
    const stepAll = () => Promise.all(all().map(({ arbiter }) => arbiter.step().catch(() => undefined)))
    for (let i = 0; i < 5; i++) {
      extend()
      await stepAll()
    }
    assert.equal(candidate.state.active, true)
    const members = { key: btoa(`${prefix}member/`), range_end: btoa(`${prefix}member0`) }
    await eventually('etcd ending all leases', async () => (await etcd.client.call('kv/range', members)).count === undefined)
    laterMs = 60_000
    for (const place of all()) place.isCutOff = false
    const starts = () =>
      all()
        .flatMap(({ candidate: { told } }) => told)
        .filter((what) => what !== 'stop').length
    const before = starts()
    // The conductor of the overridden sequencer is the last to reach etcd again.
    for (const place of [from, other]) await place.arbiter.step()
    await until('etcd answering all', () => all().every(({ store }) => store.check().ok))
    for (let i = 0; i < 5; i++) await stepAll()
    assert.deepEqual([candidate.state.active, starts()], [true, before], 'nobody else seals beside it')
    candidate.answers = false
    for (let i = 0; i < 5; i++) await stepAll()
    assert.equal(starts(), before, 'nobody seals while it restarts')
    candidate.answers = true
    candidate.state = { ...candidate.state, overridden: false, active: false }
    assert.equal(await until('it leading', leading), alone)
    assert.equal(alone.arbiter.head?.hash, candidate.state.unsafe.hash)
  })

  it('do not start a leader that survived a loss of quorum before the others report one that was overridden meanwhile', async () => {
    const from = await until('a leader', leading)
    await seal(from)
    const [alone] = all().filter((place) => place !== from) as [Place]
    await until('all knowing the block', () => all().every(({ arbiter }) => arbiter.head?.number === 1))
    for (const place of all()) place.isCutOff = true
    const stepAll = () => Promise.all(all().map(({ arbiter }) => arbiter.step().catch(() => undefined)))
    await stepAll()
    laterMs = 60_000
    await stepAll()
    assert.equal(from.candidate.state.active, false)
    // An etcd that elects a leader prolongs all leases.
    const keys = { key: btoa(prefix), range_end: btoa(`${prefix.slice(0, -1)}0`), keys_only: true }
    const { kvs = [] } = (await etcd.client.call('kv/range', keys)) as { kvs?: { lease?: string }[] }
    for (const { lease } of kvs) if (lease !== undefined) await etcd.client.call('lease/keepalive', { ID: lease })
    const { candidate } = alone
    const one = from.candidate.state.unsafe
    const two = blockOn(one, 1).block
    candidate.chain.set(1, one.hash).set(2, two.hash)
    candidate.state = { ...candidate.state, unsafe: blockOn(two).block, overridden: true, active: true }
    const before = from.candidate.told.length
    from.isCutOff = false
    for (let i = 0; i < 5; i++) await from.arbiter.step()
    assert.equal(from.arbiter.leads(from.candidate.id), true, 'its key is still there')
    assert.equal(from.candidate.told.length, before, 'it is not started')
    assert.equal(await seal(from), 'the store was lost, and other conductors may have yet to report their sequencers')
    for (const place of all()) place.isCutOff = false
    for (let i = 0; i < 5; i++) await stepAll()
    laterMs += 10_000
    for (let i = 0; i < 5; i++) await stepAll()
    assert.deepEqual([from.candidate.told.length, candidate.state.active], [before, true])
    candidate.state = { ...candidate.state, overridden: false, active: false }
    assert.equal(await until('the other leading', leading), alone)
    assert.equal(alone.arbiter.head?.hash, candidate.state.unsafe.hash)
  })

  it('do not seal on beside a sequencer that was overridden while its conductor was cut off', async () => {
    const from = await until('a leader', leading)
    await seal(from)
    const [alone] = all().filter((place) => place !== from) as [Place]
    alone.isCutOff = true
    alone.candidate.state = { ...alone.candidate.state, unsafe: blockOn(GENESIS, 1).block, overridden: true, active: true }
    await until('its report being gone', () => from.arbiter.illnessOf(alone.candidate.id)?.includes('not connected') === true)
    assert.equal(typeof (await seal(from)), 'object')
    alone.isCutOff = false
    await until('the leader being stopped', () => !from.candidate.state.active)
    assert.equal(await seal(from), `an operator overrode ${alone.candidate.id}, which seals without the record`)
    assert.deepEqual([alone.candidate.state.active, from.arbiter.head?.number], [true, 2])
  })

  it('leave the leadership where it is while its conductor is paused, though another has a higher chain', async () => {
    const from = await until('a leader', leading)
    await seal(from)
    const [alone] = all().filter((place) => place !== from) as [Place]
    const one = from.candidate.state.unsafe
    alone.candidate.chain.set(1, one.hash)
    alone.candidate.state = { ...alone.candidate.state, unsafe: blockOn(one).block }
    await until('its block being known', () => alone.arbiter.head?.number === 1)
    from.arbiter.paused = true
    from.candidate.state = { ...from.candidate.state, active: false }
    const { term } = from.arbiter
    for (let i = 0; i < 5; i++) for (const { arbiter } of all()) await arbiter.step()
    assert.deepEqual([from.arbiter.leads(from.candidate.id), from.arbiter.term], [true, term])
    from.arbiter.paused = false
    assert.equal(await until('the higher one leading', leading), alone)
  })

  it('leave the leadership to the sequencer that made blocks without them, and continue from these', async () => {
    const from = await until('a leader', leading)
    await seal(from)
    const [alone] = all().filter((place) => place !== from) as [Place]
    const one = blockOn(GENESIS).block
    const two = blockOn(one).block
    const three = blockOn(two).block
    alone.candidate.chain.set(1, one.hash).set(2, two.hash)
    alone.candidate.state = { ...alone.candidate.state, unsafe: three }
    from.runs = false
    await from.store.service.stop()
    assert.equal(await until('a leader above the record', leading), alone)
    assert.equal(alone.arbiter.head?.hash, three.hash)
  })
})
