import assert from 'node:assert/strict'
import {
  encodeDeposit,
  encodeSignedTransaction,
  hexToBytes,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import { BATCH_INBOX, createDerivationWorld, emit, forksUpTo, SYSTEM_CONFIG } from '../../../../test/support/derivation-world.ts'
import { createTestContext, l1Block, testConfig } from '../../../../test/support/stage-context.ts'
import { createNativeCrypto } from '../../../node/src/crypto/native-crypto.ts'
import { encodeBlob } from '../codec/blob.ts'
import { CONFIG_UPDATE_TOPIC } from '../codec/l1/system-config-log.ts'
import { SILENT_OBSERVER } from '../observer.ts'
import type { L1Reader } from '../ports.ts'
import { createL1Retrieval } from './l1-retrieval.ts'
import { createL1Traversal } from './l1-traversal.ts'

const crypto = createNativeCrypto()
const KEY = new Uint8Array(32).fill(1)
const STRANGER = new Uint8Array(32).fill(2)
const config = testConfig()
const inbox = hexToBytes(config.batchInbox)
const batcherAddress = `0x${Buffer.from(crypto.addressOf(KEY)).toString('hex')}` as typeof config.batchInbox
const systemConfig = { ...config.genesis.systemConfig, batcherAddress }

const common = {
  chainId: 900n,
  nonce: 0n,
  maxPriorityFeePerGasWei: 1n,
  maxFeePerGasWei: 1n,
  gasLimit: 100_000n,
  valueWei: 0n,
  accessList: [],
}

function tx(
  data: string,
  changes: { to?: Uint8Array | null; key?: Uint8Array; type?: 0 | 1 | 2 | 3 | 4; blobs?: Uint8Array[] } = {},
): SignedTransaction {
  const { to = inbox, key = KEY, type = 2, blobs = [] } = changes
  const call = { nonce: 0n, gasLimit: 100_000n, to, valueWei: 0n, data: hexToBytes(data) }
  const unsigned =
    type === 0
      ? ({ type, chainId: 900n, gasPriceWei: 1n, ...call } as const)
      : type === 1
        ? ({ type, chainId: 900n, gasPriceWei: 1n, accessList: [], ...call } as const)
        : type === 2
          ? ({ type, ...common, ...call } as const)
          : type === 3
            ? ({ type, ...common, ...call, maxFeePerBlobGasWei: 1n, blobVersionedHashes: blobs } as const)
            : ({ type, ...common, ...call, authorizationList: [] } as const)
  return encodeSignedTransaction(unsigned, crypto.sign(signingDigest(unsigned), key))
}

function deposit(data: string, from: string): Transaction {
  return encodeDeposit({
    type: 0x7e,
    sourceHash: hexToBytes(ZERO_HASH),
    from: hexToBytes(from),
    to: inbox,
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 100_000n,
    isSystemTx: false,
    data: hexToBytes(data),
  })
}

function reader(transactions: readonly Transaction[] | null): L1Reader {
  return { blockRef: async () => null, header: async () => null, receipts: async () => [], transactions: async () => transactions }
}

async function retrieve(transactions: readonly Transaction[] | null, blobs: Readonly<Record<string, Uint8Array>> = {}, blobsActive = true) {
  const context = createTestContext({ blobs: blobsActive }, config)
  const l1 = reader(transactions)
  const traversal = createL1Traversal(config, l1, SILENT_OBSERVER)
  traversal.reset(l1Block(5), systemConfig)
  const asked: string[][] = []
  const stage = createL1Retrieval(context, traversal, {
    l1,
    blobs: {
      async blobs(_at, hashes) {
        asked.push([...hashes])
        return hashes.map((hash) => blobs[hash] as Uint8Array)
      },
    },
    crypto,
  })
  const data: string[] = []
  for (;;) {
    const pulled = await stage.pull()
    if (pulled.kind === 'origin-exhausted') return { data, asked, reasons: context.reasons, unread: traversal.unread }
    if (pulled.kind === 'item') data.push(Buffer.from(pulled.item).toString('hex'))
  }
}

describe('L1 retrieval', () => {
  it('returns calldata from the batcher to the inbox, in order, of all allowed types', async () => {
    const { data, reasons, unread } = await retrieve([tx('0x01'), tx('0x02', { type: 0 }), tx('0x03', { type: 1 })])
    assert.deepEqual(data, ['01', '02', '03'])
    assert.deepEqual(reasons, [])
    assert.equal(unread, null)
  })

  it('ignores transactions to other addresses, and reports those of other senders', async () => {
    const { data, reasons } = await retrieve([
      tx('0x01', { to: new Uint8Array(20) }),
      tx('0x02', { to: null }),
      tx('0x03', { key: STRANGER }),
    ])
    assert.deepEqual(data, [])
    assert.deepEqual(reasons, ['batcher-tx-wrong-sender'])
  })

  it('rejects set-code transactions', async () => {
    const { data, reasons } = await retrieve([tx('0x01', { type: 4 })])
    assert.deepEqual(data, [])
    assert.deepEqual(reasons, ['batcher-tx-type-unsupported'])
  })

  it('returns the blobs of a blob transaction instead of its calldata, in order', async () => {
    const hashes = ['a1', 'b2', 'c3'].map((byte) => hexToBytes(`0x${byte.repeat(32)}`))
    const blobs = Object.fromEntries(hashes.map((hash, i) => [toHash(hash), encodeBlob(Uint8Array.of(0xb0 + i))]))
    const transactions = [tx('0xff', { type: 3, blobs: hashes.slice(0, 2) }), tx('0x02'), tx('0x', { type: 3, blobs: hashes.slice(2) })]
    const { data, asked } = await retrieve(transactions, blobs)
    assert.deepEqual(data, ['b0', 'b1', '02', 'b2'])
    assert.deepEqual(asked, [hashes.map((hash) => toHash(hash))])
  })

  it('drops a blob that holds no rollup data, and keeps the others', async () => {
    const hashes = ['a1', 'b2'].map((byte) => hexToBytes(`0x${byte.repeat(32)}`))
    const bad = encodeBlob(Uint8Array.of(1))
    bad[1] = 9
    const blobs = { [toHash(hashes[0] as Uint8Array)]: bad, [toHash(hashes[1] as Uint8Array)]: encodeBlob(Uint8Array.of(2)) }
    const { data, reasons } = await retrieve([tx('0x', { type: 3, blobs: hashes })], blobs)
    assert.deepEqual(data, ['02'])
    assert.deepEqual(reasons, ['blob-malformed'])
  })

  it('ecotone/derivation.md#ecotone-blob-retrieval: reports the ignored calldata of a blob transaction', async () => {
    const hash = hexToBytes(`0x${'a1'.repeat(32)}`)
    const blobs = { [toHash(hash)]: encodeBlob(Uint8Array.of(1)) }
    const { data, reasons } = await retrieve([tx('0xff', { type: 3, blobs: [hash] }), tx('0x', { type: 3, blobs: [hash] })], blobs)
    assert.deepEqual(data, ['01', '01'])
    assert.deepEqual(reasons, ['blob-tx-calldata'])
  })

  const TYPES: readonly (readonly [title: string, sent: () => Transaction, data: readonly string[], reasons: readonly string[]])[] = [
    ['type 0', () => tx('0x01', { type: 0 }), ['01'], []],
    ['type 1', () => tx('0x01', { type: 1 }), ['01'], []],
    ['type 2', () => tx('0x01', { type: 2 }), ['01'], []],
    ['type 3, its blobs', () => tx('0x', { type: 3, blobs: [new Uint8Array(32)] }), ['b0'], []],
    ['type 3 without blobs', () => tx('0x', { type: 3 }), [], []],
    ['type 4', () => tx('0x01', { type: 4 }), [], ['batcher-tx-type-unsupported']],
    ['a deposit of a chain below', () => deposit('0x01', batcherAddress), ['01'], []],
    ['a deposit from another', () => deposit('0x01', config.depositContract), [], ['batcher-tx-wrong-sender']],
    ['another sender', () => tx('0x01', { key: STRANGER }), [], ['batcher-tx-wrong-sender']],
    ['another sender, and a type that is not taken', () => tx('0x01', { type: 4, key: STRANGER }), [], ['batcher-tx-type-unsupported']],
    [
      'blobs of another sender are not asked for',
      () => tx('0x', { type: 3, key: STRANGER, blobs: [new Uint8Array(32)] }),
      [],
      ['batcher-tx-wrong-sender'],
    ],
    ['elsewhere by one bit', () => tx('0x01', { to: inbox.map((byte, i) => (i === 19 ? byte ^ 1 : byte)) }), [], []],
    ['a contract creation', () => tx('0x01', { to: null }), [], []],
    ['empty calldata is an item, for the frame queue to refuse', () => tx('0x'), [''], []],
  ]
  for (const [title, sent, expected, dropped] of TYPES) {
    it(`derivation.md#l1-retrieval: ${title}`, async () => {
      const { data, reasons, asked } = await retrieve([sent()], { [ZERO_HASH]: encodeBlob(Uint8Array.of(0xb0)) })
      assert.deepEqual([data, reasons], [expected, dropped])
      assert.equal(asked.length, expected[0] === 'b0' ? 1 : 0)
    })
  }

  it('reports a drop once, however often blobs are requested', async () => {
    const world = createDerivationWorld()
    world.l1.send({ privateKey: STRANGER, to: BATCH_INBOX, data: Uint8Array.of(0) })
    world.submitter.submit(await world.sequence(1), { batches: 'span', compression: 'zlib', carrier: 'blobs' })
    world.l1.mine(1)
    world.l1.blobsMissing = true
    for (let i = 0; i < 3; i++) await assert.rejects(world.derive(), { severity: 'temporary' })
    world.l1.blobsMissing = false
    await world.derive()
    assert.deepEqual(
      world.drops.map(({ reason }) => reason),
      ['batcher-tx-wrong-sender'],
    )
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
  })

  it('reads the calldata of blob transactions before Ecotone', async () => {
    const { data, asked } = await retrieve([tx('0xff', { type: 3, blobs: [new Uint8Array(32)] })], {}, false)
    assert.deepEqual(data, ['ff'])
    assert.deepEqual(asked, [])
  })

  it('requests a reset when L1 no longer knows the block', async () => {
    await assert.rejects(retrieve(null), { code: 'derivation/l1-reorg', severity: 'reset' })
  })

  it('reads a block again after a failure, and loses nothing', async () => {
    const world = createDerivationWorld()
    world.l1.mine(2)
    world.submitter.submit(await world.sequence(2), { batches: 'span', compression: 'zlib', carrier: 'blobs' })
    world.l1.mine(1)
    await world.pipeline.step(world.safe())
    world.l1.unreachable = true
    await assert.rejects(world.derive(), { severity: 'temporary' })
    world.l1.unreachable = false
    await world.derive()
    assert.deepEqual(world.derived.hashes, world.sequenced.hashes)
  })
})

describe('L1 traversal', () => {
  it('advances block by block, and each block is read once', async () => {
    const world = createDerivationWorld()
    const traversal = createL1Traversal(world.config, world.l1.reader, SILENT_OBSERVER)
    traversal.reset(world.l1.genesis, world.config.genesis.systemConfig)
    assert.deepEqual(traversal.unread, world.l1.genesis)
    traversal.markRead()
    assert.equal(traversal.unread, null)
    assert.equal(await traversal.advance(), false)
    world.l1.mine(1)
    assert.equal(await traversal.advance(), true)
    assert.deepEqual(traversal.unread, world.l1.head)
  })

  it('detects a reorg', async () => {
    const world = createDerivationWorld()
    world.l1.mine(2)
    const traversal = createL1Traversal(world.config, world.l1.reader, SILENT_OBSERVER)
    traversal.reset(world.l1.head, world.config.genesis.systemConfig)
    world.l1.reorg(1, { newBlocks: 2 })
    await assert.rejects(traversal.advance(), { code: 'derivation/l1-reorg', severity: 'reset' })
  })

  it('throws when it is used before its first reset', () => {
    const traversal = createL1Traversal(config, reader([]), SILENT_OBSERVER)
    assert.throws(() => traversal.origin, { code: 'derivation/internal' })
  })

  it('uses the batcher address of the block itself', async () => {
    const world = createDerivationWorld({ forks: forksUpTo('holocene') })
    world.l1.mine(2)
    const blocks = await world.sequence(2)
    // an update applies to the old batcher's batch in the same block
    const word = (hex: string) => hex.padStart(64, '0')
    emit(world, {
      address: SYSTEM_CONFIG,
      topics: [CONFIG_UPDATE_TOPIC, ZERO_HASH, ZERO_HASH],
      data: hexToBytes(`0x${word('20')}${word('20')}${word('ab'.repeat(20))}`),
    })
    world.submitter.submit(blocks, { batches: 'span', compression: 'zlib', carrier: 'calldata' })
    world.l1.mine(1)
    await world.derive()
    assert.equal(world.safe().number, 0)
    assert.deepEqual(
      world.drops.map((event) => event.reason),
      ['batcher-tx-wrong-sender'],
    )
    assert.equal(world.config.batchInbox, BATCH_INBOX)
  })

  it('reports a malformed update and continues', async () => {
    const world = createDerivationWorld()
    emit(world, { address: SYSTEM_CONFIG, topics: [CONFIG_UPDATE_TOPIC], data: new Uint8Array(0) })
    world.l1.mine(1)
    await world.derive()
    assert.deepEqual(
      world.drops.map((event) => [event.stage, event.reason]),
      [['l1-traversal', 'system-config-malformed']],
    )
  })
})
