import assert from 'node:assert/strict'
import { forksAtGenesis } from '@keelson/chainspec'
import { bytesToHex, type ExecutionPayload, keccak256, utf8ToBytes } from '@keelson/primitives'
import { createDerivationWorld, type DerivationWorld, forksUpTo, GENESIS_TIME_SEC } from '../../../../test/support/derivation-world.ts'
import { compress } from '../../../node/src/crypto/compression.ts'
import type { WireBatch } from '../codec/batch.ts'
import { encodeChannel } from '../codec/channel-out.ts'
import { encodeBatcherTransaction, type Frame } from '../codec/frame.ts'
import { l2BlockRefOf } from '../codec/payload.ts'
import { createSpanBatch, type SpanBatchInput } from '../codec/span-batch.ts'

const HOLOCENE = forksAtGenesis('holocene')
const GRANITE = forksUpTo('granite')

function inputOf(world: DerivationWorld, payload: ExecutionPayload): SpanBatchInput {
  const ref = l2BlockRefOf(payload, world.config.genesis)
  const transactions = payload.transactions.filter((tx) => tx[0] !== 0x7e)
  return {
    parentHash: payload.parentHash,
    epoch: ref.l1Origin,
    timestampSec: payload.timestampSec,
    transactions,
    sequenceNumber: ref.sequenceNumber,
  }
}

const singular = (input: SpanBatchInput): WireBatch => ({ kind: 'singular', batch: input })

function span(world: DerivationWorld, inputs: readonly SpanBatchInput[]): WireBatch {
  const { genesis, blockTimeSec, l2ChainId } = world.config
  return { kind: 'span', batch: createSpanBatch(inputs, { genesisTimestampSec: genesis.l2TimestampSec, blockTimeSec, chainId: l2ChainId }) }
}

let channels = 0
function post(world: DerivationWorld, ...batches: WireBatch[]): void {
  const channelId = bytesToHex(keccak256(utf8ToBytes(`test ${channels++}`)).subarray(0, 16)) as Frame['channelId']
  const data = encodeChannel(batches, 'zlib', { compress })
  world.submitter.sendRaw(encodeBatcherTransaction([{ channelId, number: 0, data, isLast: true }]))
}

const reasons = (world: DerivationWorld) => world.drops.map((event) => event.reason)
const broken = (input: SpanBatchInput): SpanBatchInput => ({ ...input, transactions: [Uint8Array.of(0x7e, 0xc0)] })

async function withBlocks(forks: Parameters<typeof forksUpTo>[0], count: number, options = {}) {
  const world = createDerivationWorld({ forks: forksUpTo(forks), ...options })
  world.l1.mine(3)
  const inputs = (await world.sequence(count)).map((payload) => inputOf(world, payload))
  return { world, inputs }
}

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
    assert.equal(result.derived.concludesSpan, false)
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

describe('batches in any order (before Holocene)', () => {
  it('keeps batches until their turn', async () => {
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

  it('takes the first of two batches for the same block', async () => {
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

  it('drops a bad batch and takes a good one for the same block', async () => {
    const { world, inputs } = await withBlocks('granite', 2)
    const [first, second] = inputs as [SpanBatchInput, SpanBatchInput]
    post(world, singular(broken(first)), singular(first), singular(second))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-deposit-transaction'])
  })

  it('offers the next batch when asked again for the same parent', async () => {
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

  it('invalidates a span whole', async () => {
    const { world, inputs } = await withBlocks('granite', 4)
    const wire = span(world, inputs) as Extract<WireBatch, { kind: 'span' }>
    post(world, { ...wire, batch: { ...wire.batch, l1OriginCheck: new Uint8Array(20) } }, span(world, inputs))
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-wrong-epoch-hash'])
  })

  it('marks the blocks of a span that are not its last', async () => {
    const { world, inputs } = await withBlocks('granite', 3)
    post(world, span(world, inputs))
    world.l1.mine()
    assert.deepEqual(
      (await world.derive()).map((derived) => derived.concludesSpan),
      [false, false, true],
    )
  })
})

for (const [name, forks] of [
  ['before Holocene', GRANITE],
  ['from Holocene', HOLOCENE],
] as const) {
  describe(`a sequencing window without batches, ${name}`, () => {
    it('ends in empty blocks once its last L1 block is read', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(2)
      assert.deepEqual(await world.derive(), [])
      world.l1.mine(1)
      // epoch 0 lasts 4 s: genesis and one block; the next one belongs to epoch 1, whose window is not over
      assert.equal((await world.derive()).length, 1)
    })

    it('fills each epoch up to the next one', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(6)
      const derived = await world.derive()
      // L1 every 4 s, L2 every 2 s: epoch 0 holds genesis and one block, the others two each
      assert.ok(derived.length > 0)
      for (const { attributes, parent } of derived) {
        assert.equal(attributes.timestampSec, parent.timestampSec + 2)
        assert.ok(attributes.transactions.every((tx) => tx[0] === 0x7e))
      }
      const epochs = world.derived.hashes.map((_, i) => l2BlockRefOf(world.derived.block(i), world.config.genesis).l1Origin.number)
      assert.deepEqual(epochs.slice(0, 6), [0, 0, 1, 1, 2, 2])
    })

    it('still takes a batch in the last L1 block of the window', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(2)
      const [block] = await world.sequence(1)
      post(world, singular(inputOf(world, block as ExecutionPayload)))
      world.l1.mine(1)
      await world.derive()
      assert.deepEqual(world.derived.hashes.slice(0, 2), world.sequenced.hashes)
    })

    it('refuses a batch one L1 block later', async () => {
      const world = createDerivationWorld({ forks, sequencingWindowL1Blocks: 3 })
      world.l1.mine(3)
      const [block] = await world.sequence(1)
      post(world, singular(inputOf(world, block as ExecutionPayload)))
      world.l1.mine(1)
      await world.derive()
      assert.notEqual(world.derived.hashes[1], world.sequenced.hashes[1])
    })
  })
}

describe('activation of strict order', () => {
  it('drops half a channel and waiting batches, and goes on with the origins it knows', async () => {
    const forks = { ...GRANITE, holocene: GENESIS_TIME_SEC + 20 }
    const world = createDerivationWorld({ forks })
    world.l1.mine(3)
    const inputs = (await world.sequence(4)).map((payload) => inputOf(world, payload))
    const [a, b, c, d] = inputs.map(singular) as [WireBatch, WireBatch, WireBatch, WireBatch]
    // block 4 is the last before the activation in block 5: a batch that waits, and a channel left open
    post(world, b)
    world.submitter.sendRaw(
      encodeBatcherTransaction([{ channelId: `0x${'0f'.repeat(16)}`, number: 0, data: Uint8Array.of(1), isLast: false }]),
    )
    world.l1.mine(2)
    await world.derive()
    assert.deepEqual(reasons(world), ['fork-activated', 'fork-activated'])
    post(world, a, b, c, d)
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
  })
})
