import assert from 'node:assert/strict'
import { type BatchForm, createBatchSubmitter } from '../support/batch-submitter.ts'
import { createWorld, SINGULAR_CALLDATA, type World } from '../support/world.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000aa' as const

async function sendTransfer(world: World, from: number): Promise<string> {
  const tx = world.sequencer.execution.transfer(from, RECIPIENT, 1_000n)
  return (await world.sequencer.execution.call('eth_sendRawTransaction', `0x${Buffer.from(tx.raw).toString('hex')}`)) as string
}

const FORMS: readonly (readonly [string, BatchForm])[] = [
  ['singular batches, zlib, calldata', SINGULAR_CALLDATA],
  ['span batch, zlib, calldata', { batches: 'span', compression: 'zlib', carrier: 'calldata' }],
  ['span batch, brotli, one blob', { batches: 'span', compression: 'brotli', carrier: 'blobs' }],
  ['singular batches, brotli, many small frames', { batches: 'singular', compression: 'brotli', carrier: 'calldata', maxFrameBytes: 150 }],
]

describe("the derivation of a sequencer's blocks", () => {
  for (const [name, form] of FORMS) {
    it(`${name}: gives a node that reads only L1 the same blocks`, async () => {
      const world = await createWorld()
      const follower = await world.addFollower('validator', { gossip: false })
      const hashes: string[] = []
      for (let i = 0; i < 6; i++) {
        hashes.push(await sendTransfer(world, i))
        await world.advance(2)
      }
      const built = world.sequencer.heads().unsafe
      assert.equal(built, 6)
      assert.deepEqual(follower.heads(), { unsafe: 0, safe: 0, finalized: 0 })

      await world.batch(form)
      await world.advance(12)

      assert.ok(follower.heads().safe >= built, `safe head ${follower.heads().safe}`)
      for (let number = 1; number <= built; number++) {
        assert.equal(await follower.hashAt(number), await world.sequencer.hashAt(number), `block ${number}`)
      }
      assert.equal(world.sequencer.log.matching('block differs from L1').length, 0)
      assert.ok(world.sequencer.heads().safe >= built)
      for (const hash of hashes) {
        const receipt = (await follower.execution.call('eth_getTransactionReceipt', hash)) as { status: string } | null
        assert.equal(receipt?.status, '0x1')
      }
      await world.stop()
    })
  }

  it('continues over many L1 blocks with equal output roots', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    for (let round = 0; round < 8; round++) {
      await sendTransfer(world, round)
      await world.advance(4)
      await world.batch()
    }
    await world.advance(8)
    const safe = follower.heads().safe
    assert.ok(safe >= 16, `safe head ${safe}`)
    const [a, b] = await Promise.all([world.sequencer, follower].map((node) => node.consensus.rollupApi.outputAtBlock(safe)))
    assert.equal(a?.outputRoot, b?.outputRoot)
    assert.equal(a?.block.hash, await follower.hashAt(safe))
    await world.stop()
  })

  it('drops data from other senders and garbage with a reason, and continues', async () => {
    const world = await createWorld()
    const follower = await world.addFollower('validator', { gossip: false })
    await world.advance(8)
    const stranger = createBatchSubmitter(world.config, world.l1, new Uint8Array(32).fill(0x66))
    stranger.sendRaw(Uint8Array.of(0, 1, 2, 3))
    world.batches.sendRaw(Uint8Array.of(0, 1, 2, 3))
    await world.advance(4)
    await world.batch()
    await world.advance(8)
    const reasons = follower.log.matching('L1 data dropped').map((line) => line.fields.reason)
    assert.ok(reasons.includes('frame-malformed'), reasons.join())
    assert.ok(follower.heads().safe >= 6)
    await world.stop()
  })

  it('is not delayed by a span batch that overlaps blocks just derived', async () => {
    // From Holocene on, overlapping blocks are not compared.
    const world = await createWorld({ forks: { regolith: 0, canyon: 0, delta: 0, ecotone: 0, fjord: 0, granite: 0 } })
    const span: BatchForm = { batches: 'span', compression: 'zlib', carrier: 'calldata' }
    await world.advance(8)
    await world.batch(span, 0)
    await world.advance(4)
    await world.batch(span, 2)
    await world.advance(8)
    const built = 6
    const fresh = await world.addFollower('fresh', { gossip: false })
    await world.advance(4)
    assert.ok(fresh.heads().safe >= built, `safe head ${fresh.heads().safe}`)
    for (let number = 1; number <= built; number++) assert.equal(await fresh.hashAt(number), await world.sequencer.hashAt(number))
    assert.deepEqual(fresh.consensus.driver.degraded, [])
    await world.stop()
  })
})
