import assert from 'node:assert/strict'
import { forksAtGenesis, type RollupConfig } from '@keelson/chainspec'
import { type L1BlockRef, type L2BlockRef, l2Time, type PayloadEnvelope } from '@keelson/primitives'
import { createPayloadLedger, genesisPayload } from '../../../../test/support/payload-ledger.ts'
import { l1Block, testConfig } from '../../../../test/support/stage-context.ts'
import { l1InfoDeposit } from '../codec/l1/l1-info.ts'
import { checkOf } from '../codec/span-batch/span-batch.ts'
import type { SpanBatch, SpanBatchBlock } from '../codec/span-batch/span-batch-cursor.ts'
import type { L2Reader } from '../ports.ts'
import type { BatchContext } from './batch-validity.ts'
import { checkSpanBatch, checkSpanBatchPrefix } from './check-span-batch.ts'

const TX = Uint8Array.of(2, 0xc0)
const strictConfig = withGenesis(testConfig())
const looseConfig = withGenesis(testConfig(forksAtGenesis('granite')))

function withGenesis(config: RollupConfig): RollupConfig {
  const genesis = genesisPayload(10000, 30_000_000n)
  return { ...config, genesis: { ...config.genesis, l2: { hash: genesis.blockHash, number: 0 } } }
}

function safeChain(config: RollupConfig) {
  const ledger = createPayloadLedger(config, genesisPayload(10000, 30_000_000n))
  const l1 = l1Block(0)
  for (let i = 1; i <= 5; i++) {
    const info = l1InfoDeposit(
      {
        format: 'jovian',
        number: l1.number,
        timestampSec: l1.timestampSec,
        baseFeeWei: 1n,
        hash: l1.hash,
        sequenceNumber: i,
        batcherAddress: config.genesis.systemConfig.batcherAddress,
        overhead: new Uint8Array(32),
        scalar: new Uint8Array(32),
        baseFeeScalar: 0,
        blobBaseFeeScalar: 0,
        blobBaseFeeWei: 1n,
        operatorFeeScalar: 0,
        operatorFeeConstant: 0n,
        daFootprintGasScalar: 400,
      },
      true,
    )
    ledger.append(ledger.head.blockHash, {
      timestampSec: 10000 + 2 * i,
      prevRandao: l1.hash,
      feeRecipient: config.batchInbox,
      withdrawals: [],
      parentBeaconBlockRoot: l1.hash,
      transactions: [info.raw, TX],
      noTxPool: true,
      gasLimit: 30_000_000n,
      eip1559Params: new Uint8Array(8),
      minBaseFeeWei: 0n,
    })
  }
  return ledger
}

const chain = safeChain(strictConfig)
const { head } = chain
const PARENT: L2BlockRef = {
  hash: head.blockHash,
  number: 5,
  parentHash: head.parentHash,
  timestampSec: l2Time(10010),
  l1Origin: { hash: l1Block(0).hash, number: 0 },
  sequenceNumber: 5,
}
const ORIGINS = [0, 1, 2, 3].map((n) => l1Block(n))

function span(
  startSec: number,
  epochs: readonly number[],
  changes: Partial<SpanBatch> & { transactions?: readonly (readonly Uint8Array[])[] } = {},
): SpanBatch {
  const under = (startSec - 10000) / 2 - 1
  const parent = Number.isInteger(under) && under >= 0 && under <= 5 ? chain.block(under).blockHash : PARENT.hash
  const blocks = epochs.map((epochNumber, i) => ({
    timestampSec: startSec + 2 * i,
    epochNumber,
    transactions: changes.transactions?.[i] ?? [TX],
  }))
  return {
    parentCheck: changes.parentCheck ?? checkOf(parent),
    l1OriginCheck: changes.l1OriginCheck ?? checkOf(l1Block(epochs[epochs.length - 1] as number).hash),
    blockCount: blocks.length,
    transactionCount: blocks.reduce((sum, block) => sum + block.transactions.length, 0),
    first: blocks[0] as SpanBatchBlock,
    last: blocks[blocks.length - 1] as SpanBatchBlock,
    blocks,
  }
}

const context = (config: RollupConfig, more: Partial<BatchContext> = {}): BatchContext => ({
  config,
  origins: ORIGINS,
  parent: PARENT,
  inclusion: l1Block(3),
  ...more,
})

const shown = (result: { kind: string; reason?: string }) => result.reason ?? result.kind
const prefix = async (batch: SpanBatch, more: Partial<BatchContext> = {}, l2: L2Reader = chain) =>
  shown(await checkSpanBatchPrefix(context(strictConfig, more), batch, l2))
const whole = async (batch: SpanBatch, more: Partial<BatchContext> = {}, l2: L2Reader = chain) =>
  shown(await checkSpanBatch(context(looseConfig, more), batch, l2))

describe('rules for the prefix of a span batch', () => {
  it('accept a span after the safe head, and one that overlaps it', async () => {
    assert.equal(await prefix(span(10012, [0, 1])), 'accept')
    assert.equal(await prefix(span(10006, [0, 0, 0, 0])), 'accept')
    assert.equal(await prefix(span(10002, [0, 0, 0, 0, 0, 1])), 'accept')
  })

  it('reject a gap', async () => {
    assert.equal(await prefix(span(10014, [0])), 'batch-in-future')
    assert.equal(await whole(span(10014, [0])), 'future')
  })

  it('treat a span that ends at the safe head as past', async () => {
    assert.equal(await prefix(span(10006, [0, 0, 0])), 'past')
    assert.equal(await whole(span(10006, [0, 0, 0])), 'batch-in-past')
  })

  it('require aligned block times', async () => {
    assert.equal(await prefix({ ...span(10007, [0, 0, 0, 0, 0]), parentCheck: span(10006, [0]).parentCheck }), 'span-batch-misaligned')
    assert.equal(await prefix(span(10011, [0, 0])), 'span-batch-misaligned')
  })

  // op-node cannot read a block before genesis and returns undecided (batches.go, `L2BlockRefByNumber`)
  it('leave a span undecided if its parent would precede genesis; before Holocene they drop it', async () => {
    assert.equal(await prefix(span(10000, [0, 0, 0, 0, 0, 0, 0, 0])), 'undecided')
    assert.equal(await prefix(span(9998, [0, 0, 0, 0, 0, 0, 0, 0])), 'undecided')
    assert.equal(await whole(span(10000, [0, 0, 0, 0, 0, 0, 0, 0])), 'span-batch-misaligned')
  })

  it('require the parent hash, also with an overlap', async () => {
    const parentCheck = new Uint8Array(20)
    assert.equal(await prefix(span(10012, [0], { parentCheck })), 'batch-wrong-parent')
    assert.equal(await prefix(span(10006, [0, 0, 0, 0], { parentCheck })), 'batch-wrong-parent')
  })

  it('require inclusion within the window of the first epoch', async () => {
    const far = Array.from({ length: 12 }, (_, n) => l1Block(n))
    assert.equal(await prefix(span(10012, [0, 1]), { origins: far, inclusion: l1Block(10) }), 'accept')
    assert.equal(await prefix(span(10012, [0, 1]), { origins: far, inclusion: l1Block(11) }), 'batch-included-too-late')
  })

  it('require the epoch of the parent or the next as the first epoch', async () => {
    assert.equal(await prefix(span(10012, [2])), 'batch-epoch-too-new')
    const parent = { ...PARENT, l1Origin: { hash: l1Block(1).hash, number: 1 } }
    assert.equal(await prefix(span(10012, [0, 1]), { parent, origins: ORIGINS.slice(1) }), 'batch-epoch-too-old')
  })

  it('require the last origin on the L1 chain being read', async () => {
    assert.equal(await prefix(span(10012, [0, 1], { l1OriginCheck: checkOf(l1Block(1, 1).hash) })), 'batch-wrong-epoch-hash')
    // undecided in op-node (batches.go) and kona (span.rs), also from Holocene on
    assert.equal(await prefix(span(10012, [0, 1, 2, 3, 4])), 'undecided')
    assert.equal(await whole(span(10012, [0, 1, 2, 3, 4])), 'undecided')
    const parent = { ...PARENT, l1Origin: { hash: l1Block(1).hash, number: 1 } }
    assert.equal(await prefix(span(10012, [0]), { parent, origins: ORIGINS.slice(1) }), 'undecided')
    assert.equal(await whole(span(10012, [0]), { parent, origins: ORIGINS.slice(1) }), 'batch-epoch-too-old')
  })

  it('require an origin that allows span batches', async () => {
    const config = { ...looseConfig, forks: testConfig({ ...forksAtGenesis('canyon'), delta: 10012 }).forks }
    const check = async (batch: SpanBatch, origins: readonly L1BlockRef[] = ORIGINS) =>
      shown(await checkSpanBatchPrefix(context(config, { origins }), batch, chain))
    assert.equal(await check(span(10012, [0])), 'span-batch-too-early')
    assert.equal(await check(span(10012, [1])), 'accept')
    assert.equal(await check(span(10012, [1]), ORIGINS.slice(0, 1)), 'undecided')
  })

  it('throw a temporary error when a safe block is unavailable', async () => {
    const none: L2Reader = { payload: async (): Promise<PayloadEnvelope | null> => null }
    await assert.rejects(prefix(span(10006, [0, 0, 0, 0]), {}, none), { code: 'derivation/l2-unavailable', severity: 'temporary' })
  })
})

describe('rules for a whole span batch, before Holocene', () => {
  it('accept a valid prefix with valid blocks', async () => {
    assert.equal(await whole(span(10012, [0, 1, 1])), 'accept')
    assert.equal(await whole(span(10006, [0, 0, 0, 1])), 'accept')
  })

  it('judge each new block by time and origin', async () => {
    const late = [l1Block(0), { ...l1Block(1), timestampSec: 10015 }]
    assert.equal(await whole(span(10012, [0, 1]), { origins: late }), 'batch-before-its-origin')
    const old = [
      { ...l1Block(0), timestampSec: 10014 - 1801 },
      { ...l1Block(1), timestampSec: 10016 },
    ]
    assert.equal(await whole(span(10012, [0, 0]), { origins: old }), 'batch-exceeds-drift')
    const empty = { transactions: [[TX], []] }
    assert.equal(await whole(span(10012, [0, 0], empty), { origins: old }), 'accept')
    const taken = [old[0] as L1BlockRef, { ...l1Block(1), timestampSec: 10014 }]
    assert.equal(await whole(span(10012, [0, 0], empty), { origins: taken }), 'batch-should-adopt-next-origin')
    assert.equal(await whole(span(10012, [0, 0], empty), { origins: old.slice(0, 1) }), 'undecided')
  })

  it('judge the transactions of each new block', async () => {
    const bad = (transaction: Uint8Array) => whole(span(10012, [0, 0], { transactions: [[TX], [TX, transaction]] }))
    assert.equal(await bad(Uint8Array.of(0x7e, 0xc0)), 'batch-deposit-transaction')
    assert.equal(await bad(new Uint8Array(0)), 'batch-empty-transaction')
    assert.equal(await bad(Uint8Array.of(4, 0xc0)), 'batch-transaction-type-unsupported')
  })

  it('require overlapping blocks to be equal', async () => {
    const overlapping = (transactions: readonly (readonly Uint8Array[])[], epochs = [0, 0, 0, 1]) =>
      whole(span(10006, epochs, { transactions }))
    assert.equal(await overlapping([[TX], [TX], [TX], []]), 'accept')
    assert.equal(await overlapping([[], [TX], [TX], []]), 'span-batch-overlap-differs')
    assert.equal(await overlapping([[TX], [TX, TX], [TX], []]), 'span-batch-overlap-differs')
    assert.equal(await overlapping([[TX], [TX], [Uint8Array.of(2, 0xc1, 0x80)], []]), 'span-batch-overlap-differs')
    assert.equal(await overlapping([[TX], [TX], [TX], []], [0, 0, 1, 1]), 'span-batch-overlap-differs')
  })
})

describe('rules for a span batch, in the order of delta/span-batches.md#batch-queue', () => {
  const wrongParent = { parentCheck: new Uint8Array(20) }
  const wrongL1 = { l1OriginCheck: new Uint8Array(20) }
  const late = { inclusion: l1Block(13) }
  const onEpoch1 = { parent: { ...PARENT, l1Origin: { hash: l1Block(1).hash, number: 1 } }, origins: [1, 2, 3].map((n) => l1Block(n)) }
  const tooEarly = { config: withGenesis(testConfig({ regolith: 0, canyon: 0, delta: 20000 })) }
  const drifted = { origins: [0, 1, 2, 3].map((n) => ({ ...l1Block(n), timestampSec: 8000 + n })) }

  const cases: readonly (readonly [string, SpanBatch, Partial<BatchContext>, 'prefix' | 'whole'])[] = [
    ['span-batch-too-early', span(10014, [0, 0]), tooEarly, 'whole'],
    ['batch-in-future', span(10014, [0, 0], wrongParent), late, 'prefix'],
    ['past', span(10006, [0, 0], wrongParent), late, 'prefix'],
    ['span-batch-misaligned', span(10011, [0, 0], wrongParent), late, 'prefix'],
    ['batch-wrong-parent', span(10012, [0, 0], wrongParent), late, 'prefix'],
    ['batch-included-too-late', span(10012, [2, 2], wrongL1), late, 'prefix'],
    ['batch-epoch-too-new', span(10012, [2, 2], wrongL1), {}, 'prefix'],
    ['batch-wrong-epoch-hash', span(10012, [0, 1], wrongL1), onEpoch1, 'prefix'],
    ['batch-epoch-too-old', span(10012, [0, 1]), onEpoch1, 'prefix'],
    ['batch-exceeds-drift', span(10012, [0, 0], { transactions: [[Uint8Array.of(0x7e)], []] }), drifted, 'whole'],
    ['batch-deposit-transaction', span(10008, [0, 0, 0], { transactions: [[], [TX], [Uint8Array.of(0x7e)]] }), {}, 'whole'],
    ['span-batch-overlap-differs', span(10008, [0, 0, 0], { transactions: [[], [TX], [TX]] }), {}, 'whole'],
  ]
  for (const [expected, batch, more, how] of cases) {
    it(`${expected} comes first`, async () => {
      assert.equal(await (how === 'prefix' ? prefix : whole)(batch, more), expected)
    })
  }

  const bounds: readonly (readonly [string, SpanBatch, Partial<BatchContext>, string])[] = [
    ['begins one second before the next block', span(10011, [0, 0]), {}, 'span-batch-misaligned'],
    ['begins at the next block', span(10012, [0, 0]), {}, 'accept'],
    ['begins one second after it', span(10013, [0, 0]), {}, 'batch-in-future'],
    ['ends at the safe head', span(10008, [0, 0]), {}, 'past'],
    ['ends one block after it', span(10008, [0, 0, 0]), {}, 'accept'],
    ['begins right after genesis', span(10002, [0, 0, 0, 0, 0, 0]), {}, 'accept'],
    ['begins at genesis, which has no block before it', span(10000, [0, 0, 0, 0, 0, 0, 0]), {}, 'undecided'],
    ['in the last L1 block of the window', span(10012, [0, 0]), { inclusion: l1Block(10) }, 'accept'],
    ['one L1 block after the window', span(10012, [0, 0]), { inclusion: l1Block(11) }, 'batch-included-too-late'],
    ['counted from its first epoch, not from its last', span(10012, [0, 1, 2]), { inclusion: l1Block(11) }, 'batch-included-too-late'],
    ['begins in the epoch of its parent', span(10012, [0]), {}, 'accept'],
    ['begins in the next epoch', span(10012, [1]), {}, 'accept'],
    ['skips an epoch', span(10012, [2]), {}, 'batch-epoch-too-new'],
    ['ends in the last L1 block known', span(10012, [0, 1, 2, 3]), {}, 'accept'],
    ['ends in an L1 block that is not known', span(10012, [0, 1, 2, 3, 4]), {}, 'undecided'],
  ]
  for (const [title, batch, more, expected] of bounds) {
    it(`a span that ${title}: ${expected}`, async () => {
      assert.equal(await prefix(batch, more), expected)
    })
  }
})
