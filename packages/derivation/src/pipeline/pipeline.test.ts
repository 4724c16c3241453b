import assert from 'node:assert/strict'
import { batchesOf } from '../../../../test/support/batch-submitter.ts'
import { createDerivationWorld, type DerivationWorld, forksUpTo } from '../../../../test/support/derivation-world.ts'
import { compress } from '../../../node/src/crypto/compression.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import { encodeChannel, splitIntoFrames } from '../codec/channel/channel-out.ts'
import { encodeBatcherTransaction } from '../codec/channel/frame.ts'

async function batchAll(world: DerivationWorld, form: Parameters<DerivationWorld['submitter']['submit']>[1]): Promise<void> {
  world.l1.mine(3)
  const blocks = await world.sequence(6, 2)
  world.submitter.submit(blocks, form)
  world.l1.mine(3)
  await world.derive()
}

describe('derivation pipeline', () => {
  for (const batches of ['singular', 'span'] as const) {
    for (const compression of ['zlib', 'brotli'] as const) {
      for (const carrier of ['calldata', 'blobs'] as const) {
        it(`derives the sequencer's blocks from ${batches} batches, ${compression}, in ${carrier}`, async () => {
          const world = createDerivationWorld()
          await batchAll(world, { batches, compression, carrier })
          assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
          assert.equal(world.derived.head.blockNumber, 6)
          assert.deepEqual(world.drops, [])
        })
      }
    }
  }

  for (const fork of ['regolith', 'canyon', 'delta', 'ecotone', 'fjord', 'granite', 'holocene', 'isthmus'] as const) {
    it(`derives under the rules of ${fork}`, async () => {
      const world = createDerivationWorld({ forks: forksUpTo(fork) })
      await batchAll(world, { batches: 'singular', compression: 'zlib', carrier: 'calldata', maxFrameBytes: 100 })
      assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
      assert.deepEqual(world.drops, [])
    })
  }

  it('sends a short payload when a batch has more than any block can hold', async () => {
    const world = createDerivationWorld()
    world.l1.mine(3)
    const [block] = await world.sequence(1)
    assert.ok(block !== undefined)
    const [batch] = batchesOf([block], world.config, 'singular')
    assert.ok(batch?.kind === 'singular')
    const absurd = new Array<Uint8Array>(1_000_000).fill(Uint8Array.of(5))
    const wire: WireBatch = { kind: 'singular', batch: { ...batch.batch, transactions: absurd } }
    const channel = encodeChannel([wire], 'brotli', { compress })
    world.submitter.sendRaw(encodeBatcherTransaction(splitIntoFrames(`0x${'01'.repeat(16)}`, channel, 1_000)))
    world.l1.mine(1)
    const [derived] = await world.derive()
    assert.deepEqual(derived?.attributes.transactions.slice(1), [new Uint8Array(0)])
    assert.deepEqual(world.drops, [])
  })

  it('reports that L1 is read, and continues with the next L1 block', async () => {
    const world = createDerivationWorld()
    assert.deepEqual(await world.derive(), [])
    assert.deepEqual(await world.pipeline.step(world.safe()), { kind: 'awaiting-l1' })
    const head = world.l1.mine(1)
    await world.derive()
    assert.deepEqual(world.pipeline.l1Origin, head)
  })

  it('requests a reset when L1 was reorganized', async () => {
    const world = createDerivationWorld()
    world.l1.mine(3)
    await world.derive()
    world.l1.reorg(2)
    world.l1.mine(1)
    await assert.rejects(world.derive(), { code: 'derivation/l1-reorg', severity: 'reset' })
  })

  it('derives the new chain after a reset', async () => {
    const world = createDerivationWorld()
    await batchAll(world, { batches: 'span', compression: 'zlib', carrier: 'calldata' })
    world.l1.reorg(3, { keepTransactions: false, newBlocks: 4 })
    world.sequenced.rewind(0)
    const blocks = await world.sequence(5)
    world.submitter.submit(blocks, { batches: 'span', compression: 'brotli', carrier: 'blobs' })
    world.l1.mine(2)
    world.reset()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.equal(world.derived.head.blockNumber, 5)
  })
})
