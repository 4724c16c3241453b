import assert from 'node:assert/strict'
import { type ExecutionPayload, type PayloadEnvelope, payloadHash } from '@keelson/primitives'
import { createWorld } from '../support/world.ts'

/** With a hash of its own, which the sequencer may sign. */
function changed({ payload, parentBeaconBlockRoot }: PayloadEnvelope, change: Partial<ExecutionPayload>): PayloadEnvelope {
  const other = { ...payload, ...change }
  return { payload: { ...other, blockHash: payloadHash(other, parentBeaconBlockRoot) }, parentBeaconBlockRoot }
}

describe('consensus: a signed block without a readable L1 info deposit', () => {
  for (const [what, change] of [
    ['no transactions', () => ({ transactions: [] })],
    ['a first transaction that is none', () => ({ transactions: [Uint8Array.of(0x7e, 0xc0)] })],
    ['a first transaction that is the second of another', ({ transactions }) => ({ transactions: transactions.slice(1) })],
  ] as readonly (readonly [string, (payload: ExecutionPayload) => Partial<ExecutionPayload>])[]) {
    it(`is dropped, and does not stop the client: ${what}`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('follower', {
        wire: (real) => ({
          ...real,
          gossip: real.gossip && {
            ...real.gossip,
            onPayload: (hear) =>
              real.gossip?.onPayload((envelope, from) => {
                hear(envelope.payload.blockNumber === 2 ? changed(envelope, change(envelope.payload)) : envelope, from)
              }),
          },
        }),
      })
      await world.advance(4)
      assert.equal(follower.log.matching('dropped an invalid unsafe block').length, 1)
      assert.equal(follower.heads().unsafe, 1)
      await world.batch()
      await world.advance(8)
      assert.deepEqual(follower.heads(), world.sequencer.heads())
      assert.ok(follower.heads().safe >= 2)
      await world.stop()
    })
  }
})
