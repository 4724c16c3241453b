import assert from 'node:assert/strict'
import { broken, post, reasons, singular, span, withBlocks } from '../../../../test/support/batch-world.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import type { SpanBatchInput } from '../codec/span-batch/span-batch.ts'

describe('batches in any order (before Holocene)', () => {
  it('keeps batches until they apply', async () => {
    const { world, inputs } = await withBlocks('granite', 4)
    const [a, b, c, d] = inputs.map(singular) as [WireBatch, WireBatch, WireBatch, WireBatch]
    post(world, d, b)
    world.l1.mine()
    post(world, c, a)
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), [])
  })

  it('selects the first of two batches for the same block', async () => {
    const { world, inputs } = await withBlocks('granite', 1)
    const own = inputs[0] as SpanBatchInput
    post(world, singular({ ...own, transactions: [] }))
    post(world, singular(own))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 1)
    assert.equal(world.derived.block(1).transactions.filter((tx) => tx[0] !== 0x7e).length, 0)
    assert.deepEqual(reasons(world), ['batch-in-past'])
  })

  it('drops an invalid batch and selects a valid one for the same block', async () => {
    const { world, inputs } = await withBlocks('granite', 2)
    const [first, second] = inputs as [SpanBatchInput, SpanBatchInput]
    post(world, singular(broken(first)), singular(first), singular(second))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-deposit-transaction'])
  })

  it('drops a batch far in the future once no valid L1 origin is left for it', async () => {
    const { world, inputs } = await withBlocks('granite', 1, { sequencingWindowL1Blocks: 10 })
    const own = inputs[0] as SpanBatchInput
    const ahead = { ...own, timestampSec: own.timestampSec + 1_000_000 }
    post(world, singular(ahead), span(world, [ahead]))
    world.l1.mine()
    const inclusion = world.l1.head
    await world.derive()
    assert.deepEqual(reasons(world), [])
    world.l1.mine(9)
    await world.derive()
    assert.ok(world.safe().l1Origin.number <= inclusion.number)
    assert.deepEqual(reasons(world), [])
    world.l1.mine(2)
    await world.derive()
    assert.deepEqual(reasons(world), ['batch-in-future', 'batch-in-future'])
  })

  it('returns the next batch when pulled again with the same parent', async () => {
    const { world, inputs } = await withBlocks('granite', 1)
    const own = inputs[0] as SpanBatchInput
    const other = { ...own, transactions: [] }
    post(world, singular(other), singular(own))
    world.l1.mine()
    const parent = world.safe()
    const next = async () => {
      for (;;) {
        const result = await world.pipeline.step(parent)
        if (result.kind === 'attributes') return result.derived.attributes.transactions.length
        if (result.kind === 'awaiting-l1') return null
      }
    }
    const first = await next()
    const second = await next()
    assert.deepEqual([first, second], [1, 2])
    assert.deepEqual(reasons(world), ['payload-invalid'])
  })

  it('invalidates a whole span', async () => {
    const { world, inputs } = await withBlocks('granite', 4)
    const wire = span(world, inputs) as Extract<WireBatch, { kind: 'span' }>
    post(world, { ...wire, batch: { ...wire.batch, l1OriginCheck: new Uint8Array(20) } }, span(world, inputs))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-wrong-epoch-hash'])
  })

  it('marks all but the last block of a span as pending safe', async () => {
    const { world, inputs } = await withBlocks('granite', 3)
    post(world, span(world, inputs))
    world.l1.mine()
    assert.deepEqual(
      (await world.derive()).map((derived) => derived.becomesSafe),
      [false, false, true],
    )
  })
})
