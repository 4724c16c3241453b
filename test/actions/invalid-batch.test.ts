import assert from 'node:assert/strict'
import type { ExecutionPayload } from '@keelson/primitives'
import { createWorld, SINGULAR_CALLDATA } from '../support/world.ts'

describe('batches that fail to execute', () => {
  it('become deposits-only blocks, drop the rest of the channel, and reorganise the unsafe chain', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator')
    await world.advance(8)
    const unsafe = world.sequencer.heads().unsafe
    const payloads: ExecutionPayload[] = []
    for (let number = 1; number <= unsafe; number++) payloads.push((await world.sequencer.payloadAt(number)).payload)
    const impossible = world.sequencer.execution.transfer(0, '0x00000000000000000000000000000000000000aa', 1n, { nonce: 99n })
    const second = payloads[1] as ExecutionPayload
    payloads[1] = { ...second, transactions: [...second.transactions, impossible.raw] }
    world.batches.submit(payloads, SINGULAR_CALLDATA)
    await world.advance(8)

    for (const node of world.nodes) {
      assert.equal(node.log.matching('by a deposits-only block').length, 1, node.name)
      assert.equal(node.heads().safe, 2, `${node.name}: the rest of the channel is gone`)
      const { payload } = await node.payloadAt(2)
      assert.ok(payload.transactions.every((tx) => tx[0] === 0x7e))
    }
    assert.equal(await follower.hashAt(2), await world.sequencer.hashAt(2))
    await world.advance(8)
    await world.batch()
    await world.advance(8)
    assert.ok(follower.heads().safe > 6)
    assert.equal(await follower.hashAt(follower.heads().safe), await world.sequencer.hashAt(follower.heads().safe))
    await world.stop()
  })

  // Derivation leaves unknown transaction types to the engine, like op-node (batches.go, `checkSequencerTxData`) and kona
  // (sequencer_txs.rs).
  for (const type of [3, 5, 0x7c, 0x7f, 0x80]) {
    it(`with a transaction of type 0x${type.toString(16)} become deposits-only blocks`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('validator', { gossip: false })
      await world.advance(8)
      const { payload } = await world.sequencer.payloadAt(1)
      world.batches.submit([{ ...payload, transactions: [...payload.transactions, Uint8Array.of(type, 0xc0)] }], SINGULAR_CALLDATA)
      await world.advance(8)
      assert.equal(follower.log.matching('by a deposits-only block').length, 1)
      assert.equal(follower.heads().safe, 1)
      await world.stop()
    })
  }

  it('with more transactions than any block holds become deposits-only blocks', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    const { payload } = await world.sequencer.payloadAt(1)
    const absurd = new Array<Uint8Array>(300_000).fill(Uint8Array.of(5))
    world.batches.submit([{ ...payload, transactions: payload.transactions.concat(absurd) }], SINGULAR_CALLDATA)
    await world.advance(8)
    assert.equal(follower.log.matching('by a deposits-only block').length, 1)
    assert.equal(follower.heads().safe, 1)
    await world.stop()
  })

  it('before strict ordering are dropped, and the next batch for that height is used', async () => {
    const forks = { regolith: 0, canyon: 0, delta: 0, ecotone: 0, fjord: 0, granite: 0 }
    const world = await createWorld({ forks })
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    const { payload } = await world.sequencer.payloadAt(1)
    const impossible = world.sequencer.execution.transfer(0, '0x00000000000000000000000000000000000000aa', 1n, { nonce: 99n })
    world.batches.submit([{ ...payload, transactions: [...payload.transactions, impossible.raw] }], SINGULAR_CALLDATA)
    await world.advance(4)
    await world.batch()
    await world.advance(8)
    assert.equal(follower.log.matching('dropped a batch').length, 1)
    assert.ok(follower.heads().safe >= 4)
    for (let number = 1; number <= 4; number++) assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number))
    await world.stop()
  })
})
