import assert from 'node:assert/strict'
import { createManualClock } from '../clock.ts'
import { createMemoryStore } from '../kv/memory.ts'
import { createBanList } from './ban-list.ts'

const T0 = 1_800_000_000_000

describe('the ban list', () => {
  it('ends bans at their time, and keeps the others over a restart', async () => {
    const clock = createManualClock(T0)
    const store = createMemoryStore()
    const bans = createBanList(store, 0x84, clock)
    await bans.ban('peer', 'brief', T0 + 1_000)
    await bans.ban('peer', 'lasting', null)
    assert.deepEqual(bans.findPeer('brief'), { kind: 'peer', what: 'brief', untilMs: T0 + 1_000 })
    await clock.advance(1_000)
    assert.equal(bans.findPeer('brief'), null)
    await bans.forgetExpired()
    const again = createBanList(store, 0x84, createManualClock(T0))
    await again.load()
    assert.deepEqual(again.list('peer'), [{ kind: 'peer', what: 'lasting', untilMs: null }])
    assert.equal(await again.lift('peer', 'lasting'), true)
    assert.equal(await again.lift('peer', 'lasting'), false)
  })

  it('is loaded without the records that cannot be read', async () => {
    const store = createMemoryStore()
    await createBanList(store, 0x84, createManualClock(T0)).ban('peer', 'lasting', null)
    const record = (kind: number, name: number, ...value: number[]) => ({
      put: Uint8Array.of(0x84, kind, name),
      value: Uint8Array.from(value),
    })
    const ages = new Array(8).fill(0xff)
    await store.batch([record(0, 65, ...ages), record(1, 66, ...ages), record(9, 67, ...ages), record(0, 68), record(0, 69, 1, 2, 3)])
    const again = createBanList(store, 0x84, createManualClock(T0))
    await again.load()
    assert.deepEqual(again.list('peer'), [{ kind: 'peer', what: 'lasting', untilMs: null }])
    assert.deepEqual(again.list('ip'), [])
  })

  it('knows an address however it is written, and the networks it is in', async () => {
    const bans = createBanList(createMemoryStore(), 0x84, createManualClock(T0))
    assert.equal(await bans.ban('ip', '2001:db8::1', null), true)
    assert.ok(bans.findAddress('2001:0db8:0:0::1') !== null)
    assert.equal(await bans.ban('subnet', '10.1.0.0/16', T0 + 5), true)
    assert.equal(bans.findAddress('::ffff:10.1.2.3')?.what, '10.1.0.0/16')
    assert.equal(bans.findAddress('10.2.0.1'), null)
    assert.equal(await bans.lift('ip', '2001:db8:0::1'), true)
    for (const what of ['', 'host', '10.1.0.0/33']) assert.equal(await bans.ban('subnet', what, null), false, what)
  })

  it('finds the /64 of a banned IPv6 subscriber until the ban expires', async () => {
    const clock = createManualClock(T0)
    const bans = createBanList(createMemoryStore(), 0x84, clock)
    await bans.ban('subnet', '2001:db8:0:7::/64', T0 + 1_000)
    assert.equal(bans.findAddress('2001:db8:0:7:1:2:3:4')?.what, '2001:db8:0:7:0:0:0:0/64')
    assert.equal(bans.findAddress('2001:db8:0:8::1'), null)
    await clock.advance(1_000)
    assert.equal(bans.findAddress('2001:db8:0:7::1'), null)
  })

  it('has room for so many: the ban that ends first goes', async () => {
    const store = createMemoryStore()
    const bans = createBanList(store, 0x84, createManualClock(T0))
    await bans.ban('subnet', '10.0.0.0/24', T0 + 1)
    for (let i = 0; i < 10_000; i++) await bans.ban('subnet', `172.${i >> 8}.${i & 255}.0/24`, null)
    assert.equal(bans.list('subnet').length, 10_000)
    assert.equal(bans.findAddress('10.0.0.1'), null)
    const again = createBanList(store, 0x84, createManualClock(T0))
    await again.load()
    assert.equal(again.list('subnet').length, 10_000)
  })
})
