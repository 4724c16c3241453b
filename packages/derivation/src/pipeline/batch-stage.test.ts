import assert from 'node:assert/strict'
import type { ExecutionPayload } from '@keelson/primitives'
import { inputOf, post, reasons, setCodeTransaction, singular, span, withBlocks } from '../../../../test/support/batch-world.ts'
import { createDerivationWorld, type DerivationWorld, forksUpTo, GENESIS_TIME_SEC } from '../../../../test/support/derivation-world.ts'
import type { WireBatch } from '../codec/batch/batch.ts'
import type { SpanBatchInput } from '../codec/span-batch/span-batch.ts'

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

  it('skips past batches and continues with the channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    const wires = inputs.map(singular)
    post(world, ...wires.slice(0, 2))
    post(world, ...wires)
    world.l1.mine()
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
    assert.deepEqual(reasons(world), ['batch-in-past', 'batch-in-past'])
  })

  it('derives the blocks of a span up to the first invalid one, and drops the rest with its channel', async () => {
    const { world, inputs } = await withBlocks('jovian', 5)
    const bad = inputs.map((input, i) => (i === 2 ? { ...input, transactions: [world.userTransaction()] } : input))
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
    const late = inputs.map((input, i) => (i === 901 ? { ...input, transactions: [world.userTransaction()] } : input))
    world.l1.mine()
    post(world, span(world, late))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 901)
    assert.deepEqual(reasons(world), ['batch-exceeds-drift', 'span-batch-given-up', 'channel-flushed'])
  })

  it('derives the new blocks of a span that overlaps the safe chain', async () => {
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

  it('skips a past span and continues with its channel', async () => {
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

  it('drops span and channel when a payload was replaced', async () => {
    const { world, inputs } = await withBlocks('jovian', 4)
    post(world, span(world, inputs.slice(0, 3)), singular(inputs[3] as SpanBatchInput))
    world.l1.mine()
    const parent = world.safe()
    let result = await world.pipeline.step(parent)
    while (result.kind !== 'attributes') result = await world.pipeline.step(parent)
    // op-node: all attributes of the strict stage are concluding (optimism pull request 12724)
    assert.equal(result.derived.becomesSafe, true)
    world.derived.append(parent.hash, result.derived.attributes)
    world.pipeline.flushChannel()
    assert.deepEqual(await world.derive(), [])
    assert.deepEqual(reasons(world), ['payload-invalid', 'span-batch-given-up', 'channel-flushed'])
  })

  it('passes a batch with an unknown transaction type on to the engine', async () => {
    for (const type of [3, 5, 0x7c, 0x7f]) {
      const { world, inputs } = await withBlocks('jovian', 2)
      const first = inputs[0] as SpanBatchInput
      const strange = Uint8Array.of(type, 0xc0)
      post(world, singular({ ...first, transactions: [...first.transactions, strange] }))
      world.l1.mine()
      await world.derive()
      assert.equal(world.safe().number, 1)
      assert.deepEqual(world.derived.block(1).transactions.at(-1), strange)
      assert.deepEqual(reasons(world), [])
    }
  })
})

type Span = Extract<WireBatch, { kind: 'span' }>

describe('spans that are dropped without their channel (Holocene)', () => {
  const change = (wire: WireBatch, changes: Partial<Span['batch']>): WireBatch => ({
    kind: 'span',
    batch: { ...(wire as Span).batch, ...changes },
  })
  /** op-node: batches.go, `checkSpanBatchHolocene` */
  const cases: readonly (readonly [title: string, reason: string, spoil: (good: WireBatch) => WireBatch])[] = [
    [
      'ends at an L1 block that has not been read yet: undecided',
      'span-batch-undecided',
      (good) => change(good, { l1OriginNumber: 2n, originBits: Uint8Array.of(0, 1, 1) }),
    ],
    [
      'begins at genesis, so its parent precedes genesis: undecided',
      'span-batch-undecided',
      (good) => change(good, { relTimestampSec: 0n }),
    ],
    [
      'has times that wrap past 2^64 into the past: past',
      'batch-in-past',
      (good) => change(good, { relTimestampSec: 2n ** 64n - BigInt(GENESIS_TIME_SEC) + 10n }),
    ],
    [
      'decodes, but does not form transactions: dropped without its channel',
      'batch-malformed',
      (good) => {
        const { txs } = (good as Span).batch
        return change(good, { txs: { ...txs, datas: [Uint8Array.of(2, 0xc2, 0x83, 0xff), ...txs.datas.slice(1)] } })
      },
    ],
  ]
  for (const [title, reason, spoil] of cases) {
    it(`a span that ${title}`, async () => {
      const world = createDerivationWorld()
      const inputs = (await world.sequence(3)).map((payload) => inputOf(world, payload))
      const good = span(world, inputs)
      post(world, spoil(good), good)
      world.l1.mine()
      await world.derive()
      assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
      assert.deepEqual(reasons(world), [reason])
    })
  }
})

describe('a span of very many blocks (Holocene)', () => {
  it('yields one block per step, and its remaining blocks are dropped with its channel', async () => {
    const world = createDerivationWorld()
    const inputs = (await world.sequence(2, 0)).map((payload) => inputOf(world, payload))
    const wire = span(world, inputs) as Span
    const count = 200_000
    const batch = { ...wire.batch, originBits: new Uint8Array(count), blockTxCounts: new Array(count).fill(0) }
    post(world, { kind: 'span', batch })
    world.l1.mine()
    let steps = 0
    for (let blocks = 0; blocks < 20; steps++) {
      const result = await world.pipeline.step(world.safe())
      if (result.kind !== 'attributes') continue
      world.derived.append(result.derived.parent.hash, result.derived.attributes)
      blocks++
      if (blocks === 1) steps = 0
    }
    assert.equal(steps, 20)
    world.pipeline.flushChannel()
    await world.derive()
    assert.equal(world.safe().number, 20)
    const givenUp = world.drops.find((event) => event.reason === 'span-batch-given-up')
    assert.equal(givenUp?.details.blocks, count - 20)
  })
})

// specs pull request 928; optimism pull requests 22215 and 22489
describe('a span that overlaps the safe chain (Holocene)', () => {
  const TX = 1

  async function withSafe(safe: number, count: number) {
    const { world, inputs } = await withBlocks('jovian', count)
    post(world, span(world, inputs.slice(0, safe)))
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, safe)
    return { world, inputs }
  }

  const disagreements: readonly (readonly [title: string, change: (input: SpanBatchInput, world: DerivationWorld) => SpanBatchInput])[] = [
    ['another transaction', (input, world) => ({ ...input, transactions: [world.userTransaction()] })],
    ['a transaction fewer', (input) => ({ ...input, transactions: [...input.transactions].slice(TX) })],
    ['a transaction more', (input, world) => ({ ...input, transactions: [...input.transactions, world.userTransaction()] })],
  ]
  for (const [title, change] of disagreements) {
    for (const at of [0, 1, 2]) {
      it(`with ${title} in block ${at + 1} of the overlap is dropped with its channel`, async () => {
        const { world, inputs } = await withSafe(3, 5)
        const other = inputs.map((input, i) => (i === at ? change(input, world) : input))
        post(world, span(world, other), span(world, inputs))
        world.l1.mine()
        await world.derive()
        assert.equal(world.safe().number, 3)
        assert.deepEqual(reasons(world), ['span-batch-overlap-differs', 'channel-flushed'])
      })
    }
  }

  it('with another L1 origin in the overlap is dropped with its channel', async () => {
    const { world, inputs } = await withSafe(3, 5)
    const wire = span(world, inputs) as Span
    const { originBits } = wire.batch
    const firstNew = originBits.indexOf(1, 1)
    assert.ok(firstNew >= 1 && firstNew < 3, 'an epoch begins within the overlap')
    const moved = Uint8Array.from(originBits, (bit, at) => (at === firstNew ? 0 : at === firstNew - 1 || at === firstNew + 1 ? 1 : bit))
    post(world, { kind: 'span', batch: { ...wire.batch, originBits: moved } })
    world.l1.mine()
    await world.derive()
    assert.equal(world.safe().number, 3)
    assert.deepEqual(reasons(world), ['span-batch-overlap-differs', 'channel-flushed'])
  })

  for (const failing of [0, 1, 2, 3]) {
    it(`is kept and checked again when block ${failing} of the safe chain cannot be read`, async () => {
      const { world, inputs } = await withSafe(3, 5)
      post(world, span(world, inputs))
      world.l1.mine()
      const { payload } = world.derived
      let failures = 2
      world.derived.payload = async (at) => (at === failing && failures-- > 0 ? null : payload(at))
      const unavailable = { code: 'derivation/l2-unavailable', severity: 'temporary' }
      await assert.rejects(world.derive(), unavailable)
      await assert.rejects(world.derive(), unavailable)
      await world.derive()
      assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
      assert.deepEqual(reasons(world), [])
    })
  }

  it('reads at most 64 safe blocks per step', async () => {
    const { world, inputs } = await withSafe(200, 201)
    post(world, span(world, inputs))
    world.l1.mine()
    const { payload } = world.derived
    let reads = 0
    world.derived.payload = (at) => {
      reads++
      return payload(at)
    }
    const perStep: number[] = []
    for (;;) {
      reads = 0
      const result = await world.pipeline.step(world.safe())
      perStep.push(reads)
      if (result.kind === 'attributes') break
    }
    assert.ok(perStep.reduce((sum, count) => sum + count, 0) >= 200)
    assert.ok(Math.max(...perStep) <= 66, `${perStep}`)
  })
})

describe('set-code transactions in a span across the activation of Isthmus. isthmus/derivation.md#activation', () => {
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
