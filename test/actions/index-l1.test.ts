import assert from 'node:assert/strict'
import { recipientOf, toAddress } from '@keelson/primitives'
import { createMetrics, createSilentLogger } from '@keelson/runtime'
import { createFollower, type Follower } from '../../packages/apps/src/index/follow/follower.ts'
import { createL1Chain } from '../../packages/apps/src/index/l1/l1-chain.ts'
import { createL1Store } from '../../packages/apps/src/index/l1/l1-store.ts'
import { findBatch, findCarriers, listBatches, listDeposits } from '../../packages/apps/src/index/queries/l1-queries.ts'
import type { Database } from '../../packages/apps/src/index/storage/database.ts'
import { prepareDatabase } from '../../packages/apps/src/index/storage/migrate.ts'
import { openMemoryPglite } from '../../packages/apps/src/index/storage/open-pglite.ts'
import { l1RollupOf } from '../../packages/node/src/commands/index-chain/l1-rollup.ts'
import { createNativeCrypto } from '../../packages/node/src/crypto/native-crypto.ts'
import { DEPOSITOR, RECIPIENT, sendDeposit } from '../support/deposit-log.ts'
import { createWorld, SINGULAR_CALLDATA, type World } from '../support/world.ts'

const PAGE = { before: null, limit: 50 }
const TABLES = ['l1_cursor', 'l1_blocks', 'l1_batches', 'l1_frames', 'l1_channels', 'l1_deposits'] as const
const SPAN_BLOBS = { batches: 'span', compression: 'brotli', carrier: 'blobs' } as const

describe('the index of L1', () => {
  let db: Database
  let second: Database
  let world: World
  let l1: Follower
  before(async () => {
    db = await openMemoryPglite()
    second = await openMemoryPglite()
  })
  after(() => Promise.all([db.close(), second.close()]))
  beforeEach(async () => {
    world = await createWorld()
    l1 = await follow(db)
  })
  afterEach(() => world.stop())

  async function follow(database: Database): Promise<Follower> {
    await prepareDatabase(database, { chainId: world.config.l2ChainId, genesisHash: world.config.genesis.l2.hash })
    await database.query(`truncate ${TABLES.join(', ')}, cursor, blocks, transactions`)
    const rollup = l1RollupOf(world.config)
    const { reader: client, blobReader: blobs } = world.l1
    const chain = createL1Chain({ client, blobs, crypto: createNativeCrypto(), rollup, clock: world.clock })
    const options = { name: 'L1', startBlock: 0, pollIntervalMs: 1_000, partsAtOnce: 2 } as const
    const shared = { clock: world.clock, log: createSilentLogger(), metrics: createMetrics('index') }
    return createFollower(options, { ...shared, chain, store: createL1Store(database, rollup), isWriter: async () => true })
  }
  const contents = async (database: Database) => {
    const found: Record<string, unknown> = {}
    for (const table of TABLES) found[table] = await database.query(`select ${table}::text as row from ${table} order by 1`)
    return found
  }
  const inboxTransactions = () => {
    const found: string[] = []
    for (let number = 0; number <= world.l1.head.number; number++)
      for (const tx of world.l1.block(number)?.transactions ?? []) {
        const to = recipientOf(tx)
        if (to !== null && toAddress(to) === world.config.batchInbox) found.push(tx.hash)
      }
    return found
  }

  it('knows which L1 transactions carried a block, in call data and in blobs', async () => {
    await world.advance(12)
    const firstEnd = world.sequencer.heads().unsafe
    await world.batch({ ...SINGULAR_CALLDATA, maxFrameBytes: 40 }, 0)
    await world.advance(8)
    const calldata = inboxTransactions()
    assert.ok(calldata.length > 2)
    const secondEnd = world.sequencer.heads().unsafe
    await world.batch(SPAN_BLOBS, firstEnd)
    await world.advance(8)
    const blobs = inboxTransactions().slice(calldata.length)
    await l1.step()
    const carriersOf = async (block: number) => (await findCarriers(db, block)).transactions.map(({ transaction }) => transaction)
    for (const block of [1, firstEnd]) assert.deepEqual(await carriersOf(block), calldata)
    for (const block of [firstEnd + 1, secondEnd]) assert.deepEqual(await carriersOf(block), blobs)
    assert.deepEqual(await carriersOf(secondEnd + 1), [])
    const { items } = await listBatches(db, PAGE)
    assert.deepEqual(items.map(({ transaction }) => transaction).reverse(), [...calldata, ...blobs])
    const batch = await findBatch(db, blobs[0] as never)
    assert.deepEqual([batch?.carrier, batch?.readable, batch?.channels.length], ['blobs', true, 1])
    assert.deepEqual([batch?.channels[0]?.firstBlock, batch?.channels[0]?.lastBlock], [firstEnd + 1, secondEnd])
  })

  it('finds deposits by sender and recipient, with the L2 transaction', async () => {
    sendDeposit(world.l1, 5n)
    await world.advance(12)
    await l1.step()
    for (const party of [DEPOSITOR, RECIPIENT]) {
      const { items } = await listDeposits(db, toAddress(party), PAGE)
      assert.deepEqual([items.length, items[0]?.mint, items[0]?.to], [1, '5', RECIPIENT])
      const receipt = await world.sequencer.execution.call('eth_getTransactionReceipt', items[0]?.l2Transaction)
      assert.deepEqual([receipt.type, receipt.status], ['0x7e', '0x1'])
    }
    assert.deepEqual((await listDeposits(db, toAddress(`0x${'99'.repeat(20)}`), PAGE)).items, [])
  })

  it('equals a fresh index after reorgs of L1, also when they cut a channel', async () => {
    await world.advance(12)
    await world.batch({ ...SINGULAR_CALLDATA, maxFrameBytes: 40 }, 0)
    await world.advance(8)
    await l1.step()
    for (const depth of [1, 3]) {
      world.l1.reorg(depth, { keepTransactions: depth === 1, newBlocks: depth + 1 })
      await world.advance(8)
      await l1.step()
      const fresh = await follow(second)
      await fresh.step()
      assert.deepEqual(await contents(db), await contents(second))
    }
  })
})
