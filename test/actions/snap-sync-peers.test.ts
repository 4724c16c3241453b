import assert from 'node:assert/strict'
import { rlpEncode, rlpEncodeList } from '@keelson/primitives'
import type { SnapResponse } from '../../packages/execution/src/p2p/snap/responses.ts'
import { createRecordingLogger } from '../support/recording-logger.ts'
import { CONTRACT, FIRST, mineSnapSyncChain } from '../support/snap-sync-chain.ts'
import { chainPeer, type ListedPeer } from '../support/sync-peers.ts'
import { gateOf, head, reached, until, want } from '../support/sync-world.ts'

/** What a peer answers that does not have the state. */
function withoutContent(message: SnapResponse): SnapResponse {
  const { response } = message
  if (Array.isArray(response)) return { ...message, response: [] } as never
  return { ...message, response: { ...response, ...('slots' in response ? { slots: [] } : { accounts: [] }), proof: [] } } as never
}
describe('snap sync of a node, and what peers do', () => {
  const { chain, at, open, snapPeer, hasHeaders, assertSame } = mineSnapSyncChain()

  const LIES: Readonly<Record<string, (receipts: readonly Uint8Array[]) => readonly Uint8Array[]>> = {
    'no RLP': (receipts) => receipts.map(() => Uint8Array.of(0xff)),
    'no receipts': (receipts) => receipts.map(() => rlpEncodeList([])),
    'the same receipts for all blocks': (receipts) => receipts.map(() => receipts[0] as Uint8Array),
    'receipts of another status': (receipts) => receipts.map((list) => list.map((byte, i) => (i === 8 ? byte ^ 1 : byte))),
    'one receipt more': (receipts) => receipts.map((list) => rlpEncodeList([list.subarray(3), rlpEncode(Uint8Array.of(0x7e))])),
    'more than was asked for': (receipts) => [...receipts, ...receipts],
  }
  for (const [lie, tell] of Object.entries(LIES)) {
    it(`drops a peer that sends ${lie}, and finishes with another one`, async () => {
      const told = gateOf()
      const served = snapPeer('honest', () => FIRST)
      const honest: ListedPeer = {
        ...served,
        async receipts(hashes, signal) {
          await told.promise
          return served.receipts(hashes, signal)
        },
      }
      const liar = chainPeer('liar', chain(), {
        async receipts(hashes, signal) {
          told.resolve()
          return tell(await served.receipts(hashes, signal))
        },
      })
      const world = await open([liar, honest])
      await want(world, at(FIRST))
      await reached(world, at(FIRST))
      await assertSame(world, FIRST)
      assert.deepEqual(
        world.peers.list().map(({ id }) => id),
        ['honest'],
      )
      await world.stop()
    })
  }

  for (const [what, useless] of Object.entries<() => ListedPeer>({
    'no peer speaks snap': () => chainPeer('a', chain()),
    'a peer of snap has no state': () => snapPeer('a', () => FIRST, { change: (message) => withoutContent(message) }),
    'a peer of snap has only older states': () => snapPeer('a', () => 10),
    'a peer of snap is silent': () => snapPeer('a', () => FIRST, { beforeAnswer: () => new Promise(() => undefined) }),
  })) {
    it(`keeps the state of genesis and executes each block after two minutes when ${what}`, async () => {
      const log = createRecordingLogger()
      const world = await open([useless()], { log })
      await want(world, at(FIRST))
      await until(world, () => hasHeaders(world))
      await world.clock.advance(100_000)
      assert.equal(await world.call('eth_getBalance', CONTRACT, '0x0'), '0x7', 'genesis')
      assert.equal(head(world).header.number, 0)
      await world.clock.advance(20_000)
      await reached(world, at(FIRST))
      await assertSame(world, FIRST)
      assert.ok(await world.call('eth_getBalance', CONTRACT, '0x1'), 'the first block was executed')
      assert.equal(log.matching('no peer serves states, and each block is executed').length, 1)
      await world.stop()
    })
  }

  it('reports in health that no peer serves the state, and what to do', async () => {
    const world = await open([chainPeer('a', chain())])
    await want(world, at(FIRST))
    const check = world.node.checks.find(({ name }) => name === 'sync')
    assert.ok(check)
    await until(world, () => hasHeaders(world))
    await world.clock.advance(31_000)
    const result = await check.check()
    assert.ok(!result.ok)
    assert.match(result.reason, /state/)
    assert.match(result.remedy ?? '', /snap\/1/)
    world.peers.join(snapPeer('b', () => FIRST))
    await reached(world, at(FIRST))
    assert.equal((await check.check()).ok, true)
    await world.stop()
  })
})
