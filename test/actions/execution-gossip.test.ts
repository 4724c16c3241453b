import assert from 'node:assert/strict'
import { encodeSignedTransaction, rlpEncode, type SignedTransaction, TX_LEGACY } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { connect, createWorldNetwork, type NetworkedWorld, until, type WorldNetwork } from '../support/network-world.ts'

const TO = '0x00000000000000000000000000000000000000aa'
const TRANSACTIONS = 0x02
const ANNOUNCEMENT = 0x08
const POOLED = 0x0a

describe('transactions between execution clients', () => {
  let network: WorldNetwork
  beforeEach(() => {
    network = createWorldNetwork()
  })
  afterEach(() => network.stop())

  async function pair(gossip: readonly [boolean, boolean] = [true, true]) {
    const clock = createManualClock(1_700_000_000_000)
    const a = await network.join('a', { clock }, { gossipTransactions: gossip[0] })
    const b = await network.join('b', { clock }, { gossipTransactions: gossip[1] })
    await connect(b, a)
    const [atA] = a.network.connected.list()
    const [atB] = b.network.connected.list()
    assert.ok(atA !== undefined && atB !== undefined)
    return { a, b, atA, atB, clock }
  }
  const submit = async (world: NetworkedWorld, tx: SignedTransaction) =>
    assert.equal((await world.node.pool.add(tx, 'local')).kind, 'added')
  const has = (world: NetworkedWorld, tx: SignedTransaction) => () => world.node.pool.find(tx.hash) !== null
  const announce = (tx: SignedTransaction, changes: { readonly type?: number; readonly size?: number } = {}) =>
    rlpEncode([Uint8Array.of(changes.type ?? tx.type), [changes.size ?? tx.raw.length], [Buffer.from(tx.hash.slice(2), 'hex')]])

  it('reach the pool of a peer, and from there the next one', async () => {
    const { a, b, clock } = await pair()
    const c = await network.join('c', { clock })
    await c.call('admin_addPeer', b.enode)
    await until(c, () => c.network.connected.list().length === 1)
    const tx = a.transfer(1, TO, 1n)
    await submit(a, tx)
    await until(c, has(c, tx))
    assert.ok(has(b, tx)())
  })

  it('that were in the pool before are announced to a new peer, which fetches them', async () => {
    const clock = createManualClock(1_700_000_000_000)
    const a = await network.join('a', { clock })
    const b = await network.join('b', { clock })
    const txs = Array.from({ length: 300 }, (_, i) => a.transfer(1, TO, 1n, { nonce: BigInt(i) }))
    for (const tx of txs) await submit(a, tx)
    await connect(b, a)
    await until(b, () => b.node.pool.counts().pending === 300)
  })

  it('larger than 4 KiB are announced and fetched', async () => {
    const { a, b } = await pair()
    const tx = a.sign(1, {
      type: 2,
      chainId: 901n,
      nonce: 0n,
      gasLimit: 2_000_000n,
      to: new Uint8Array(20),
      valueWei: 0n,
      data: new Uint8Array(20_000).fill(1),
      accessList: [],
      maxPriorityFeePerGasWei: 1n,
      maxFeePerGasWei: 20_000_000_000n,
    })
    await submit(a, tx)
    await until(b, has(b, tx))
  })

  it('with conditions stay private', async () => {
    const { a, b, clock } = await pair()
    const tx = a.transfer(1, TO, 1n)
    const conditional = { knownAccounts: [], blockNumberMin: null, blockNumberMax: null, timestampMin: null, timestampMax: null }
    await a.node.pool.add(tx, 'local', { conditional } as never)
    const asked = b.network.connected
      .list()[0]
      ?.eth.requests.request(0x09, POOLED, [[Buffer.from(tx.hash.slice(2), 'hex')]], new AbortController().signal)
    assert.deepEqual(await asked, [Uint8Array.of(0xc0)])
    for (let i = 0; i < 20; i++) await clock.advance(100)
    assert.ok(!has(b, tx)())
  })

  it('are neither sent nor taken with --disable-tx-gossip', async () => {
    const { a, b, atA, atB, clock } = await pair([false, true])
    const [ours, theirs] = [a.transfer(1, TO, 1n), b.transfer(2, TO, 1n)]
    await submit(a, ours)
    await submit(b, theirs)
    await atB.eth.send(TRANSACTIONS, rlpEncode([theirs.raw]))
    const asked = atB.eth.requests.request(0x09, POOLED, [[Buffer.from(ours.hash.slice(2), 'hex')]], new AbortController().signal)
    assert.deepEqual(await asked, [Uint8Array.of(0xc0)])
    for (let i = 0; i < 20; i++) await clock.advance(100)
    assert.ok(!has(a, theirs)() && !has(b, ours)())
    assert.equal(atA.session.remote.client, 'b')
  })

  it('end the session when they are unreadable, deposits, of blobs or badly signed', async () => {
    const badly = (world: NetworkedWorld) => {
      const { signature: _, hash: __, raw: ___, ...fields } = world.transfer(1, TO, 1n)
      return encodeSignedTransaction(fields as never, { r: 0n, s: 1n, yParity: 0 }).raw
    }
    const wrong: readonly ((world: NetworkedWorld) => Uint8Array)[] = [
      () => Uint8Array.of(2, 0xc1, 1),
      () => Uint8Array.of(0x7e, 0xc0),
      badly,
    ]
    for (const make of wrong) {
      const { a, b, atB } = await pair()
      await atB.eth.send(TRANSACTIONS, rlpEncode([make(b)]))
      await until(b, () => a.network.connected.list().length === 0)
      assert.equal((await atB.session.closed).reason, 'protocolBreach')
      await network.stop()
      network = createWorldNetwork()
    }
  })

  it('that are announced with another type or size end the session', async () => {
    for (const lie of [{ type: TX_LEGACY }, { size: 5_000 }]) {
      const { a, b, atB } = await pair()
      const tx = b.transfer(1, TO, 1n, { nonce: 1n })
      await b.node.pool.add(tx, 'local')
      await atB.eth.send(ANNOUNCEMENT, announce(tx, lie))
      await until(b, () => a.network.connected.list().length === 0)
      await network.stop()
      network = createWorldNetwork()
    }
  })

  it('of blobs are not fetched when they are announced', async () => {
    const { a, b, atB, clock } = await pair()
    const tx = b.transfer(1, TO, 1n, { nonce: 1n })
    await b.node.pool.add(tx, 'local')
    await atB.eth.send(ANNOUNCEMENT, announce(tx, { type: 3 }))
    for (let i = 0; i < 20; i++) await clock.advance(100)
    assert.ok(!has(a, tx)())
    assert.equal(a.network.connected.list().length, 1)
  })
})
