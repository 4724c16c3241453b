import assert from 'node:assert/strict'
import type { ExecutionPayload } from '@keelson/primitives'
import { inputOf, post, reasons, setCodeTransaction, singular, span, withBlocks } from '../../../../test/support/batch-world.ts'
import { createDerivationWorld, forksUpTo, GENESIS_TIME_SEC } from '../../../../test/support/derivation-world.ts'
import type { WireBatch } from '../codec/batch.ts'
import type { SpanBatchInput } from '../codec/span-batch.ts'

describe('batches in strict order (Holocene)', () => {
  it('derives nothing from batches out of order, and drops their channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 3)
    const [a, b, c] = inputs.map(singular) as [WireBatch, WireBatch, WireBatch]
    post(world, b, a, c)
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 0)
    assert.deepEqual(reasons(world), ['batch-in-future', 'channel-flushed'])
  })

  it('skips what is past and reads on in the same channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    const wires = inputs.map(singular)
    post(world, ...wires.slice(0, 2))
    post(world, ...wires)
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-in-past', 'batch-in-past'])
  })

  it('keeps the good blocks of a span up to the first bad one, and drops the rest with its channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 5)
    const bad = inputs.map((input, i) => (i === 2 ? { ...input, transactions: [world.userTransaction()] } : input))
    // the third block differs, so the ones after it cannot be the sequencer's, but all of them are valid
    post(world, span(world, bad))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 5)
    assert.deepEqual(world.derived.hashes.slice(0, 3), world.sequenced.hashes.slice(0, 3))
    assert.notEqual(world.derived.hashes[3], world.sequenced.hashes[3])
  })

  it('drops the rest of a span after a block past the drift with transactions', async () => {
    const world = createDerivationWorld({ l1BlockTimeSec: 2000 })
    const inputs: SpanBatchInput[] = []
    while (inputs.length < 905) {
      const [payload] = await world.sequence(1, 0)
      inputs.push(inputOf(world, payload as ExecutionPayload))
    }
    // 1800 s after the origin comes block 900; block 902 holds a transaction
    const late = inputs.map((input, i) => (i === 901 ? { ...input, transactions: [world.userTransaction()] } : input))
    world.l1.mine()
    post(world, span(world, late))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 901)
    assert.deepEqual(reasons(world), ['batch-exceeds-drift', 'span-batch-given-up', 'channel-flushed'])
  })

  it('takes a span that overlaps the safe chain for what is new in it', async () => {
    const { world, inputs } = await withBlocks('jovian', 6)
    post(world, span(world, inputs.slice(0, 3)))
    world.l1.mine()
    await world.derive()
    post(world, span(world, inputs.slice(1)))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), [])
  })

  it('skips a span that is all past, and reads on in its channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    post(world, span(world, inputs.slice(0, 3)))
    world.l1.mine()
    post(world, span(world, inputs.slice(0, 2)), span(world, inputs))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-in-past'])
  })

  it('drops a span of another L1 with its channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 3)
    const other = inputs.map((input) => ({ ...input, epoch: { ...input.epoch, hash: world.l1.head.hash } }))
    post(world, span(world, other), span(world, inputs))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 0)
    assert.deepEqual(reasons(world), ['batch-wrong-epoch-hash', 'channel-flushed'])
  })

  it('drops span and channel when told that a payload was replaced', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    post(world, span(world, inputs.slice(0, 3)), singular(inputs[3] as SpanBatchInput))
    world.l1.mine()
    const parent = world.safe()
    let result = await world.pipeline.step(parent)
    while (result.kind !== 'attributes') result = await world.pipeline.step(parent)
    // op-node: all attributes of the strict stage are concluding (ethereum-optimism/optimism pull request 12724)
    assert.equal(result.derived.becomesSafe, true)
    world.derived.append(parent.hash, result.derived.attributes)
    world.pipeline.flushChannel()
    assert.deepEqual(await world.derive(), [])
    assert.deepEqual(reasons(world), ['payload-invalid', 'span-batch-given-up', 'channel-flushed'])
  })

  it('waits for its own chain without losing the span', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    post(world, span(world, inputs.slice(0, 2)))
    world.l1.mine()
    await world.derive()
    post(world, span(world, inputs.slice(1)))
    world.l1.mine()
    const safe = world.safe()
    const kept = world.derived.block(1)
    const { payload } = world.derived
    let asked = 0
    world.derived.payload = async (at) => (at === 1 && asked++ === 0 ? null : payload(at))
    await assert.rejects(world.derive(), { code: 'derivation/l2-unavailable', severity: 'temporary' })
    assert.equal(world.safe().hash, safe.hash)
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.equal(kept.blockNumber, 1)
  })
})

describe('set-code transactions in a span across the activation of Isthmus. isthmus/derivation.md#activation', () => {
  // blocks at +2, +4, +6, +8; the second one holds the transaction
  for (const [isthmus, derived, dropped] of [
    [2, 4, []],
    [4, 4, []],
    [6, 1, ['batch-transaction-type-unsupported', 'span-batch-given-up', 'channel-flushed']],
  ] as const) {
    it(`activated at +${isthmus}, sent at +4: ${derived} blocks`, async () => {
      const forks = { ...forksUpTo('holocene'), isthmus: GENESIS_TIME_SEC + isthmus }
      const world = createDerivationWorld({ forks })
      world.l1.mine(3)
      const inputs = (await world.sequence(4, 0)).map((payload) => inputOf(world, payload))
      const transaction = setCodeTransaction(world.config.l2ChainId)
      post(
        world,
        span(
          world,
          inputs.map((input, i) => (i === 1 ? { ...input, transactions: [transaction] } : input)),
        ),
      )
      world.l1.mine()
      await world.derive()
      assert.equal(world.safe().number, derived)
      assert.deepEqual(reasons(world), dropped)
    })
  }
})
