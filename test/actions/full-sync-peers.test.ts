import assert from 'node:assert/strict'
import { type Block, type Hash, type RlpInput, rlpDecode, rlpEncode } from '@keelson/primitives'
import { createExecutionWorld } from '../support/execution-world.ts'
import { LENGTH, mineFullSyncChain } from '../support/full-sync-chain.ts'
import { chainPeer, encodeBodyOf, rebuiltChain, servedChain } from '../support/sync-peers.ts'
import { head, reached, send, until, want } from '../support/sync-world.ts'

describe('full sync, and what peers do', () => {
  const { main, chain, at, open, assertSame } = mineFullSyncChain()

  const change = (raw: Uint8Array, edit: (fields: RlpInput[]) => RlpInput) => rlpEncode(edit([...(rlpDecode(raw) as RlpInput[])]))
  const LIES: Readonly<Record<string, (bodies: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
    'no RLP': (bodies) => bodies.map(() => Uint8Array.of(0xff)),
    'a single item': (bodies) => bodies.map(() => Uint8Array.of(0x80)),
    'the bodies of other blocks': (bodies) => bodies.map(() => encodeBodyOf(at(159))),
    'a body without its last transaction': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ...rest]) => [(txs as RlpInput[]).slice(0, -1), ...rest])),
    'a transaction twice': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ...rest]) => [[...(txs as RlpInput[]), (txs as RlpInput[])[0] as RlpInput], ...rest])),
    'transactions of another type': (bodies) =>
      bodies.map((raw) =>
        change(raw, ([txs, ...rest]) => [(txs as Uint8Array[]).map((tx) => Uint8Array.from([0x55, ...tx.subarray(1)])), ...rest]),
      ),
    'an ommer': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, , ...rest]) => [txs as RlpInput, [rlpDecode(encodeBodyOf(at(1))) as RlpInput], ...rest])),
    'withdrawals that the header does not cover': (bodies) =>
      bodies.map((raw) => change(raw, ([txs, ommers]) => [txs as RlpInput, ommers as RlpInput, [[1n, 1n, new Uint8Array(20), 1n]]])),
    'no list of withdrawals': (bodies) => bodies.map((raw) => change(raw, (fields) => fields.slice(0, 2))),
    'a further field': (bodies) => bodies.map((raw) => change(raw, (fields) => [...fields, []])),
    'more bodies than were asked for': (bodies) => [...bodies, ...bodies],
  }
  for (const [lie, tell] of Object.entries(LIES)) {
    it(`drops a peer that sends ${lie}, and finishes with another one`, async () => {
      const honest = chainPeer('honest', chain())
      const liar = chainPeer('liar', chain(), { bodies: async (hashes, signal) => tell(await honest.bodies(hashes, signal)) })
      const world = await open([liar, honest])
      await want(world, at(60))
      await reached(world, at(60))
      assertSame(world, main, 60)
      assert.deepEqual(
        world.peers.list().map(({ id }) => id),
        ['honest'],
      )
      await world.stop()
    })
  }

  it('finishes with peers that are silent, empty, short, behind or leave in the middle', async () => {
    const honest = chainPeer('honest', chain())
    let served = 0
    const world = await open([
      chainPeer('silent', chain(), { headers: () => new Promise(() => undefined), bodies: () => new Promise(() => undefined) }),
      chainPeer('empty', chain(), { headers: async () => [], bodies: async () => [] }),
      chainPeer('gaps', chain(), {
        bodies: async (hashes, signal) =>
          honest.bodies(
            hashes.filter((_, i) => i % 4 !== 3),
            signal,
          ),
      }),
      chainPeer('behind', chain(), {
        headers: async ({ start, ...rest }, signal) =>
          typeof start === 'number' ? honest.headers({ start: Math.min(start, 5), ...rest }, signal) : [],
        bodies: async () => [],
      }),
      chainPeer('leaver', chain(), {
        bodies: (hashes, signal) => (served++ > 1 ? Promise.reject(new Error('disconnected')) : honest.bodies(hashes.slice(0, 5), signal)),
      }),
    ])
    await want(world, at(LENGTH))
    await reached(world, at(LENGTH))
    assertSame(world, main, LENGTH)
    assert.equal(world.peers.list().length, 5, 'none of them lied')
    await world.stop()
  })

  it('calls a chain with an invalid block INVALID, names the last valid one, and fetches another chain afterwards', async () => {
    const bad = rebuiltChain(chain(), 60, 100, (block) => ({
      ...block,
      header: { ...block.header, stateRoot: `0x${'99'.repeat(32)}` as Hash },
    }))
    const world = await open([chainPeer('a', bad)])
    assert.deepEqual(await want(world, bad.head), { status: 'SYNCING' })
    await until(world, async () => (await want(world, bad.head)).status === 'INVALID')
    const status = await want(world, bad.head)
    assert.ok(status.status === 'INVALID')
    assert.equal(status.latestValidHash, at(59).hash)
    assert.equal(world.peers.list().length, 1, 'its peer served what was asked for')

    const below = bad.block(80) as Block
    assert.deepEqual(await want(world, below), { status: 'SYNCING' })
    await until(world, async () => (await want(world, below)).status === 'INVALID')
    const child: Block = bad.block(81) as Block
    const told = await send(world, child)
    assert.ok(told.status === 'INVALID')
    assert.equal(told.latestValidHash, at(59).hash)

    world.peers.join(chainPeer('b', chain()))
    await want(world, at(LENGTH))
    await reached(world, at(LENGTH))
    assertSame(world, main, LENGTH)
    await world.stop()
  })

  it('calls a chain from another genesis block INVALID', async () => {
    const other = await createExecutionWorld({ genesisTimestampSec: 1_600_000_000 })
    const foreign = await other.mine()
    const world = await open([chainPeer('a', servedChain(other.node.chain))])
    await want(world, foreign)
    await until(world, async () => (await want(world, foreign)).status === 'INVALID')
    assert.equal(head(world).header.number, 0)
    await other.stop()
    await world.stop()
  })

  it('reports in health that it waits for peers, and what to do', async () => {
    const world = await open([])
    await want(world, at(LENGTH))
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.ok(check)
    await world.clock.advance(29_000)
    assert.equal((await check.check()).ok, true)
    await world.clock.advance(2_000)
    const result = await check.check()
    assert.ok(!result.ok)
    assert.match(result.reason, /waited for peers for 31 s, and none is connected/)
    assert.match(result.remedy ?? '', /--p2p/)
    world.peers.join(chainPeer('a', chain()))
    await reached(world, at(LENGTH))
    assert.equal((await check.check()).ok, true)
    await world.stop()
  })

  it('is healthy again when the consensus client brings the blocks for which it has waited', async () => {
    const world = await open([])
    await want(world, at(2))
    await world.clock.advance(31_000)
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.equal((await check?.check())?.ok, false)
    for (const number of [1, 2]) assert.equal((await send(world, at(number))).status, 'VALID')
    assert.equal((await want(world, at(2))).status, 'VALID')
    await world.clock.advance(1)
    assert.equal((await check?.check())?.ok, true)
    await world.stop()
  })
})
