import assert from 'node:assert/strict'
import {
  type Block,
  decodeHeader,
  encodeReceipt,
  type Hash,
  orderedListRoot,
  rlpDecode,
  rlpEncode,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { connect, createWorldNetwork, until, type WorldNetwork } from '../support/network-world.ts'

const GENESIS_SEC = 1_700_000_000
const UNKNOWN = toHash(new Uint8Array(32).fill(0xab))
const signal = new AbortController().signal

describe('execution network', () => {
  let network: WorldNetwork
  beforeEach(() => {
    network = createWorldNetwork()
  })
  afterEach(() => network.stop())

  /** `a` has blocks with deposits and transfers; `b` has only genesis, and is connected to it. */
  async function serving(blocks = 3, forks = {}) {
    const clock = createManualClock(GENESIS_SEC * 1000)
    const a = await network.join('a', { clock, ...forks })
    const b = await network.join('b', { clock, ...forks })
    const mined: Block[] = []
    for (let i = 0; i < blocks; i++) {
      await a.node.pool.add(a.transfer(1, '0x00000000000000000000000000000000000000aa', 5n), 'local')
      mined.push(await a.mine())
    }
    await connect(b, a)
    const [peer] = b.network.connected.list()
    assert.ok(peer !== undefined)
    return { a, b, clock, mined, peer }
  }

  it('serves headers by number and by hash, forward and backward', async () => {
    const { mined, peer, a } = await serving()
    const numbers = async (start: Hash | number, count: number, reverse: boolean) =>
      (await peer.headers({ start, count, reverse }, signal)).map((raw) => decodeHeader(raw).number)
    assert.deepEqual(await numbers(0, 10, false), [0, 1, 2, 3])
    assert.deepEqual(await numbers(2, 10, true), [2, 1, 0])
    assert.deepEqual(await numbers((mined[2] as Block).hash, 2, true), [3, 2])
    assert.deepEqual(await numbers(a.genesis.hash, 2, false), [0, 1])
    assert.deepEqual(await numbers(4, 1, false), [])
    assert.deepEqual(await numbers(UNKNOWN, 1, false), [])
  })

  it('serves the ancestors of a block beside the canonical chain', async () => {
    const { a, mined, peer } = await serving()
    const aside = await a.mine({ parent: (mined[0] as Block).hash, noTxPool: true, setHead: false })
    const raw = await peer.headers({ start: aside.hash, count: 3, reverse: true }, signal)
    assert.deepEqual(
      raw.map((header) => decodeHeader(header).parentHash),
      [(mined[0] as Block).hash, a.genesis.hash, decodeHeader(raw[2] as Uint8Array).parentHash],
    )
  })

  it('serves bodies whose transactions hash to the root of the header', async () => {
    const { mined, peer } = await serving()
    const bodies = await peer.bodies([...mined.map(({ hash }) => hash), UNKNOWN], signal)
    assert.equal(bodies.length, mined.length)
    bodies.forEach((body, i) => {
      const [transactions, ommers, withdrawals] = rlpDecode(body) as [Uint8Array[], unknown[], unknown[]]
      assert.equal(orderedListRoot(transactions), (mined[i] as Block).header.transactionsRoot)
      assert.equal(transactions.length, 2)
      assert.deepEqual([ommers, withdrawals], [[], []])
    })
  })

  it('serves receipts that hash to the root of the header', async () => {
    const { mined, peer, a } = await serving()
    const lists = await peer.receipts(
      mined.map(({ hash }) => hash),
      signal,
    )
    lists.forEach((list, i) => {
      const receipts = rlpDecode(list) as Uint8Array[]
      assert.equal(orderedListRoot(receipts), (mined[i] as Block).header.receiptsRoot)
      const stored = a.node.chain.receipts((mined[i] as Block).hash) ?? []
      assert.deepEqual(
        receipts,
        stored.map(({ receipt }) => encodeReceipt(receipt)),
      )
    })
  })

  it('serves the receipts of a block that exceed a message', async () => {
    const { a, peer } = await serving(1, { gasLimit: 200_000_000n })
    // Logs a megabyte of memory: PUSH3, PUSH1, LOG0.
    const init = Uint8Array.of(0x62, 0x0f, 0x42, 0x40, 0x60, 0x00, 0xa0)
    for (let k = 0; k < 12; k++) {
      const tx = a.sign(2, {
        type: 2,
        chainId: 901n,
        nonce: BigInt(k),
        gasLimit: 12_000_000n,
        to: null,
        valueWei: 0n,
        data: init,
        accessList: [],
        maxPriorityFeePerGasWei: 1n,
        maxFeePerGasWei: 20_000_000_000n,
      })
      assert.equal((await a.node.pool.add(tx, 'local')).kind, 'added')
    }
    const blocks = [await a.mine(), await a.mine()]
    const lists = await peer.receipts(
      blocks.map(({ hash }) => hash),
      signal,
    )
    assert.ok((lists[0]?.length ?? 0) > 11_000_000, `${lists[0]?.length} bytes`)
    assert.deepEqual(
      lists.map((list) => orderedListRoot(rlpDecode(list) as Uint8Array[])),
      blocks.map(({ header }) => header.receiptsRoot),
    )
  })

  it('cuts a response off after 2 MiB', async () => {
    const { peer, a } = await serving(1)
    const data = new Uint8Array(100_000).fill(1)
    for (let k = 0; k < 30; k++) {
      const nonce = BigInt(k)
      const tx = a.sign(2, {
        type: 2,
        chainId: 901n,
        nonce,
        gasLimit: 5_000_000n,
        to: new Uint8Array(20),
        valueWei: 0n,
        data,
        accessList: [],
        maxPriorityFeePerGasWei: 1n,
        maxFeePerGasWei: 20_000_000_000n,
      })
      assert.equal((await a.node.pool.add(tx, 'local')).kind, 'added')
    }
    const hashes: Hash[] = []
    while (hashes.length < 10) hashes.push((await a.mine()).hash)
    const bodies = await peer.bodies([...hashes, ...hashes], signal)
    const bytes = bodies.reduce((sum, { length }) => sum + length, 0)
    assert.ok(bodies.length < 20 && bytes >= 2 * 1024 * 1024 && bytes < 4 * 1024 * 1024, `${bodies.length} bodies, ${bytes} bytes`)
  })

  it('syncs the chain that the consensus client names', async () => {
    const { b, mined } = await serving(40)
    const head = mined.at(-1) as Block
    const zero = { safe: ZERO_HASH, finalized: ZERO_HASH }
    const status = await b.engine.forkchoiceUpdated({ head: head.hash, ...zero }, null)
    assert.equal(status.status.status, 'SYNCING')
    await until(b, () => b.node.chain.label('unsafe').hash === head.hash)
    assert.equal(b.node.chain.header(head.hash)?.stateRoot, head.header.stateRoot)
  })

  it('tells of both sides in net_peerCount, admin_peers and admin_nodeInfo', async () => {
    const { a, b } = await serving(1)
    assert.equal(await a.call('net_peerCount'), '0x1')
    assert.equal(await a.call('net_listening'), true)
    const [atA] = await a.call('admin_peers')
    const [atB] = await b.call('admin_peers')
    assert.deepEqual([atA.name, atA.network.inbound, atA.caps], ['b', true, ['eth/70', 'snap/1']])
    assert.deepEqual([atB.enode, atB.network.inbound], [a.enode, false])
    const info = await a.call('admin_nodeInfo')
    assert.deepEqual([info.enode, info.ports.listener], [a.enode, 30_303])
    assert.equal(atB.id, info.id)
  })

  it('removes a peer, and does not dial it again', async () => {
    const { a, b, clock } = await serving(1)
    assert.equal(await b.call('admin_removePeer', a.enode), true)
    await until(b, () => b.network.connected.list().length === 0)
    for (let i = 0; i < 100; i++) await clock.advance(1_000)
    assert.equal(await b.call('net_peerCount'), '0x0')
  })

  it('dials a static peer again after it has left', async () => {
    const { a, b } = await serving(1)
    const [peer] = a.network.connected.list()
    void peer?.session.disconnect('tooManyPeers')
    await until(b, () => b.network.connected.list().length === 0)
    await until(b, () => b.network.connected.list().length === 1)
  })

  it('refuses peers of another genesis, network id or fork id', async () => {
    const clock = createManualClock(GENESIS_SEC * 1000)
    const a = await network.join('a', { clock })
    const others = [
      await network.join('b', { clock, gasLimit: 20_000_000n }),
      await network.join('c', { clock }, { networkId: 902n }),
      await network.join('d', { clock, forks: {} }),
    ]
    for (const other of others) await other.call('admin_addPeer', a.enode)
    for (let i = 0; i < 100; i++) await clock.advance(50)
    assert.equal(a.network.connected.list().length, 0)
    for (const other of others) assert.equal(other.network.connected.list().length, 0)
  })

  it('accepts no more peers than it has places for, and keeps some for those it dials', async () => {
    const clock = createManualClock(GENESIS_SEC * 1000)
    const names = ['b', 'c', 'd', 'e']
    const trusted = await network.join('f', { clock })
    const a = await network.join('a', { clock }, { maxPeers: 3 })
    for (const name of names) await (await network.join(name, { clock })).call('admin_addPeer', a.enode)
    await until(a, () => a.network.connected.list().length === 2)
    for (let i = 0; i < 40; i++) await clock.advance(50)
    assert.equal(a.network.connected.list().length, 2, 'a third of the places is for peers that it dials')
    await a.call('admin_addPeer', trusted.enode)
    await until(a, () => a.network.connected.list().length === 3)
  })

  it('lets a peer go that sends an invalid response, and refuses it for a day', async () => {
    const { a, b, clock, peer } = await serving(1)
    a.network.connected.list()[0]?.penalize({ kind: 'invalid', reason: 'a header of another chain' })
    await until(b, () => a.network.connected.list().length === 0)
    assert.deepEqual(await peer.session.closed, { reason: 'uselessPeer', by: 'remote', detail: '' })
    for (let i = 0; i < 100; i++) await clock.advance(1_000)
    assert.equal(a.network.connected.list().length, 0)
  })

  it('lifts the ban of a node that the operator names', async () => {
    const { a, b } = await serving(1)
    a.network.connected.list()[0]?.penalize({ kind: 'invalid', reason: 'a header of another chain' })
    await until(b, () => b.network.connected.list().length === 0)
    assert.equal(await a.call('admin_addTrustedPeer', b.enode), true)
    for (let i = 0; i < 3; i++) await until(b, () => a.network.connected.list().length === 1)
  })

  it('rejects open requests when the peer leaves, and those whose signal aborts', async () => {
    const { a, peer } = await serving(1)
    const given = new AbortController()
    const aborted = peer.headers({ start: 0, count: 1, reverse: false }, given.signal)
    given.abort(new Error('not needed'))
    await assert.rejects(aborted, /not needed/)
    const [atA] = a.network.connected.list()
    void atA?.session.disconnect('quitting')
    await peer.session.closed
    await assert.rejects(peer.headers({ start: 0, count: 1, reverse: false }, signal), { code: 'p2p/closed' })
  })

  it('announces its range of blocks every 32 blocks', async () => {
    const { a, b, peer } = await serving(1)
    assert.equal(peer.eth.status?.range?.latest, 1n)
    for (let i = 0; i < 32; i++) await a.mine({ noTxPool: true })
    await until(b, () => peer.eth.status?.range?.latest === 32n)
  })

  it('ends the session of a peer that asks for too much at once', async () => {
    const { a, b, peer } = await serving(1)
    for (let i = 0; i < 200; i++) void peer.eth.send(0x03, rlpEncode([i, [0, 1, 0, 0]])).catch(() => undefined)
    await until(b, () => a.network.connected.list().length === 0)
    assert.match((await peer.session.closed).reason, /protocolBreach/)
  })
})
