import assert from 'node:assert/strict'
import { encodeBatcherTransaction, payloadL1Info } from '@keelson/derivation/codec'
import { type L1BlockRef, l2Time } from '@keelson/primitives'
import { createManualClock, createMetrics, createSeededRandom, createSilentLogger, type RpcContext } from '@keelson/runtime'
import fc from 'fast-check'
import { createBatcherWorld, createTestSender, QUICK } from '../../../test/support/batcher-world.ts'
import { createDerivationWorld, type DerivationWorld } from '../../../test/support/derivation-world.ts'
import { compress } from '../../node/src/crypto/compression.ts'
import { createBatcher } from './batcher.ts'
import { BatcherError } from './errors.ts'
import type { L1Receipt } from './ports.ts'

function assertSame(world: DerivationWorld): void {
  assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
}

describe('batcher', () => {
  for (const batchType of ['singular', 'span'] as const) {
    for (const dataAvailability of ['calldata', 'blobs'] as const) {
      for (const compression of ['zlib', 'brotli'] as const) {
        it(`posts ${batchType} batches with ${compression} in ${dataAvailability} that derive to the same blocks`, async () => {
          const { world, drain, mine, sender } = createBatcherWorld({ batchType, dataAvailability, compression })
          await mine(4)
          await world.sequence(8, 3)
          await drain()
          assertSame(world)
          assert.equal(world.derived.head.blockNumber, 8)
          assert.deepEqual(world.drops, [])
          assert.equal(sender.sent.length, 1)
          assert.equal(sender.sent[0]?.blobs !== undefined, dataAvailability === 'blobs')
        })
      }
    }
  }

  it('uses older formats while the chain does not support spans, brotli and blobs', async () => {
    const { world, drain, mine, sender } = createBatcherWorld(
      { batchType: 'span', dataAvailability: 'blobs', compression: 'brotli' },
      { forks: { regolith: 0, canyon: 0 } },
    )
    await mine(4)
    await world.sequence(8)
    await drain()
    assertSame(world)
    assert.equal(sender.sent[0]?.blobs, undefined)
  })

  it('spreads a channel over frames and transactions in order', async () => {
    const { world, drain, mine, sender } = createBatcherWorld({
      maxCalldataBytes: 1000,
      targetFramesPerChannel: 5,
      maxPendingTransactions: 2,
    })
    await mine(10)
    await world.sequence(20, 5)
    await drain()
    assertSame(world)
    assert.deepEqual(world.drops, [])
    assert.ok(sender.sent.length > 3, `only ${sender.sent.length} transactions`)
    assert.ok(sender.sent.every((tx) => tx.data.length <= 1000))
  })

  it('puts several blobs into one transaction, up to the limit', async () => {
    const { world, drain, mine, sender } = createBatcherWorld({
      dataAvailability: 'blobs',
      compression: 'zlib',
      batchType: 'singular',
      maxFramesPerTransaction: 2,
      targetFramesPerChannel: 3,
    })
    await mine(4)
    await world.sequence(6, 400)
    await drain()
    assertSame(world)
    const counts = sender.sent.map((tx) => tx.blobs?.length ?? 0)
    assert.ok(Math.max(...counts) <= 2)
  })

  it('closes a channel when it is full, and puts the block that did not fit into the next', async () => {
    const { world, batcher, mine, drain, sender } = createBatcherWorld({ maxCalldataBytes: 1000, maxChannelDurationL1Blocks: 100 })
    await mine(10)
    await world.sequence(20, 2)
    await batcher.step()
    assert.ok(sender.sent.length > 1)
    assert.ok(sender.sent.every((tx) => tx.data.length <= 1000))
    await (batcher.methods.admin_flushBatcher as () => null)()
    await drain()
    await mine(1)
    assert.deepEqual(world.drops, [])
  })

  it('waits until a channel is due', async () => {
    const { world, batcher, mine, sender } = createBatcherWorld({ maxChannelDurationL1Blocks: 3 })
    await mine(3)
    await world.sequence(2)
    await batcher.step()
    await mine(2)
    await batcher.step()
    assert.equal(sender.sent.length, 0)
    await mine(1)
    await batcher.step()
    assert.equal(sender.sent.length, 1)
  })

  it('closes a channel before the sequencing window ends', async () => {
    const { world, batcher, mine, sender } = createBatcherWorld(
      { maxChannelDurationL1Blocks: 1000, safetyMarginL1Blocks: 3 },
      { sequencingWindowL1Blocks: 10 },
    )
    await mine(1)
    const [block] = await world.sequence(1)
    assert.ok(block)
    const origin = payloadL1Info(block).number
    await batcher.step()
    while (world.l1.head.number < origin + 6) await mine(1)
    await batcher.step()
    assert.equal(sender.sent.length, 0)
    await mine(1)
    await batcher.step()
    assert.equal(sender.sent.length, 1)
  })

  it('flushes on request', async () => {
    const { world, batcher, mine, sender } = createBatcherWorld({ maxChannelDurationL1Blocks: 1000 })
    await mine(2)
    await world.sequence(2)
    await batcher.step()
    await (batcher.methods.admin_flushBatcher as () => null)()
    await batcher.step()
    assert.equal(sender.sent.length, 1)
  })

  it('takes no blocks while stopped, and begins at the safe head when started', async () => {
    const { world, batcher, mine, drain, sender } = createBatcherWorld({ stopped: true })
    await mine(2)
    await world.sequence(3)
    assert.deepEqual(await batcher.step(), { kind: 'stopped' })
    const context = {} as RpcContext
    assert.equal(batcher.methods.admin_batcherActive?.([], context), false)
    batcher.methods.admin_startBatcher?.([], context)
    await drain()
    assertSame(world)
    batcher.methods.admin_stopBatcher?.([], context)
    await world.sequence(1)
    await batcher.step()
    assert.equal(sender.sent.length, 1)
  })

  it('restarts when the unsafe chain changes below an open channel', async () => {
    const { world, batcher, mine, drain } = createBatcherWorld({ maxChannelDurationL1Blocks: 2 })
    await mine(3)
    await world.sequence(4)
    await batcher.step()
    world.sequenced.rewind(2)
    await world.sequence(4)
    await drain()
    assertSame(world)
    assert.equal(world.derived.head.blockNumber, 6)
  })

  it('resends blocks after an L1 reorg removed them', async () => {
    const { world, batcher, mine, drain, sender } = createBatcherWorld()
    await mine(3)
    await world.sequence(3)
    await batcher.step()
    await mine()
    await batcher.step()
    await mine()
    assert.equal(world.safe().number, 3)
    world.l1.reorg(1, { keepTransactions: false, newBlocks: 2 })
    world.reset()
    await world.derive()
    assert.equal(world.safe().number, 0)
    await drain()
    assertSame(world)
    assert.equal(sender.sent.length, 2)
  })

  it('resends blocks when a channel on L1 did not make them safe', async () => {
    const { world, batcher, mine, drain } = createBatcherWorld({
      maxCalldataBytes: 1000,
      targetFramesPerChannel: 3,
      maxPendingTransactions: 1,
    })
    await mine(3)
    await world.sequence(6, 3)
    await batcher.step()
    await mine()
    await batcher.step()
    await mine()
    // Derivation drops our channel if another one begins before it is complete.
    const other = { channelId: `0x${'0e'.repeat(16)}`, number: 0, data: Uint8Array.of(1), isLast: false } as const
    world.submitter.sendRaw(encodeBatcherTransaction([other]))
    await drain()
    assertSame(world)
    assert.ok(world.drops.some(({ reason }) => reason === 'channel-replaced' || reason === 'frame-channel-unclosed'))
  })

  it('resends blocks when a transaction could not be sent', async () => {
    const { world, batcher, mine, drain, sender } = createBatcherWorld()
    await mine(3)
    await world.sequence(3)
    await batcher.step()
    await mine()
    sender.failNext('the account is out of funds')
    await batcher.step()
    assert.equal(sender.sent.length, 0)
    await drain()
    assertSame(world)
  })

  it('waits for the transactions of an earlier run before it sends anything', async () => {
    const { world, mine, sender, another } = createBatcherWorld()
    await mine(3)
    await world.sequence(3)
    let resolve: (receipt: L1Receipt) => void = () => undefined
    sender.left = [
      new Promise<L1Receipt>((settled) => {
        resolve = settled
      }),
    ]
    const second = another()
    assert.equal((await second.step()).kind, 'waiting')
    await mine()
    assert.equal((await second.step()).kind, 'waiting')
    assert.equal(sender.sent.length, 0)
    const head: L1BlockRef = world.l1.head
    resolve({ succeeded: true, blockNumber: head.number, transactionHash: head.hash })
    await Promise.resolve()
    assert.equal((await second.step()).kind, 'waiting', 'the block with the transaction is not derived to its end yet')
    await mine()
    assert.equal((await second.step()).kind, 'worked')
  })

  it('continues after a stopped process, without resending safe blocks', async () => {
    const { world, batcher, mine, another, sender } = createBatcherWorld()
    await mine(3)
    await world.sequence(3)
    await batcher.step()
    await mine()
    await batcher.step()
    await mine(2)
    assert.equal(world.safe().number, 3)
    await world.sequence(2)
    const second = another()
    await second.step()
    await mine()
    await second.step()
    await mine()
    assertSame(world)
    assert.equal(sender.sent.length, 2)
    assert.deepEqual(world.drops, [])
  })

  it('waits for a consensus client that has no heads yet', async () => {
    const own = createBatcherWorld()
    const zero = `0x${'00'.repeat(32)}` as L1BlockRef['hash']
    own.status = { safeL2: { ...own.world.safe(), hash: zero, timestampSec: l2Time(0) } }
    assert.deepEqual(await own.batcher.step(), { kind: 'waiting', reason: 'the consensus client does not know its heads yet' })
  })

  it('rejects a step, and loses nothing, when the execution client lacks a block', async () => {
    const own = createBatcherWorld()
    await own.mine(3)
    await own.world.sequence(3)
    own.status = { unsafeL2: { ...own.world.unsafe(), number: 5 } }
    await assert.rejects(own.batcher.step(), { code: 'batcher/block-missing', severity: 'temporary' })
    own.status = {}
    await own.drain()
    assertSame(own.world)
  })

  it('chooses the carrier by price', async () => {
    const quote = (blobBaseFeeWei: bigint) => ({ feeQuote: async () => ({ baseFeeWei: 10n ** 9n, tipWei: 10n ** 9n, blobBaseFeeWei }) })
    for (const [blobPrice, wantsBlobs] of [
      [1n, true],
      [10n ** 12n, false],
    ] as const) {
      const { world, mine, drain, sender } = createBatcherWorld({ dataAvailability: 'auto' }, {}, quote(blobPrice))
      await mine(3)
      await world.sequence(3)
      await drain()
      assertSame(world)
      assert.equal(sender.sent[0]?.blobs !== undefined, wantsBlobs)
    }
  })

  it('derives to exactly the input blocks, regardless of content and split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          batchType: fc.constantFrom('singular' as const, 'span' as const),
          compression: fc.constantFrom('zlib' as const, 'brotli-9' as const),
          dataAvailability: fc.constantFrom('calldata' as const, 'blobs' as const),
          targetFramesPerChannel: fc.integer({ min: 1, max: 5 }),
          maxFramesPerTransaction: fc.integer({ min: 1, max: 6 }),
          maxCalldataBytes: fc.integer({ min: 1000, max: 3000 }),
          maxBlocksPerSpanBatch: fc.integer({ min: 1, max: 6 }),
          maxChannelDurationL1Blocks: fc.integer({ min: 1, max: 3 }),
          maxPendingTransactions: fc.integer({ min: 1, max: 10 }),
        }),
        fc.array(
          fc.record({
            blocks: fc.integer({ min: 0, max: 4 }),
            transactions: fc.integer({ min: 0, max: 6 }),
            mine: fc.integer({ min: 0, max: 2 }),
          }),
          {
            minLength: 1,
            maxLength: 12,
          },
        ),
        async (options, rounds) => {
          const { world, batcher, mine, drain } = createBatcherWorld(options)
          await mine(3)
          for (const round of rounds) {
            await world.sequence(round.blocks, round.transactions)
            await batcher.step()
            await mine(round.mine)
          }
          await drain()
          assertSame(world)
          assert.deepEqual(world.drops, [])
        },
      ),
      { numRuns: 40, seed: 4 },
    )
  })

  it('switches to calldata when L1 rejects its blobs, if it may choose', async () => {
    const prices = { feeQuote: async () => ({ baseFeeWei: 10n ** 9n, tipWei: 10n ** 9n, blobBaseFeeWei: 1n }) }
    const { world, mine, drain, sender } = createBatcherWorld({ dataAvailability: 'auto' }, {}, prices)
    const placed = sender.send
    sender.send = (transaction, signal) =>
      transaction.blobs === undefined
        ? placed(transaction, signal)
        : Promise.reject(new BatcherError('batcher/config', 'critical', 'transaction type not supported'))
    await mine(3)
    await world.sequence(3)
    await drain()
    assertSame(world)
    assert.deepEqual(
      sender.sent.map(({ blobs }) => blobs),
      [undefined],
    )
  })

  it('waits for a consensus client that is behind the L1 node it sends to', async () => {
    let own = 0
    const prices = { feeQuote: async () => assert.fail('not asked for'), headNumber: async () => own }
    const { world, batcher, mine, sender } = createBatcherWorld({}, {}, prices)
    await mine(3)
    await world.sequence(3)
    own = 5
    assert.match(String(Object.values(await batcher.step())), /may be in blocks up to 5/)
    assert.equal(sender.sent.length, 0)
    await mine(2)
    assert.equal((await batcher.step()).kind, 'worked')
  })

  it('keeps running through failures and stops when asked to', async () => {
    const world = createDerivationWorld()
    const clock = createManualClock()
    let calls = 0
    const batcher = createBatcher(QUICK, {
      config: world.config,
      l2: world.sequenced,
      rollup: {
        syncStatus: async () => {
          calls++
          throw new Error('connection refused')
        },
        outputAtBlock: () => Promise.reject(new Error('not asked for')),
      },
      sender: createTestSender(world),
      prices: null,
      compressor: { compress },
      clock,
      random: createSeededRandom(1),
      log: createSilentLogger(),
      metrics: createMetrics('keelson_batcher'),
    })
    await batcher.start(new AbortController().signal)
    await clock.advance(3 * QUICK.pollIntervalMs)
    assert.ok(calls >= 3)
    assert.equal(batcher.trouble()?.reason, 'connection refused')
    await batcher.stop()
  })
})
