import assert from 'node:assert/strict'
import { type Block, bytesToHex, type Hash, orderedListRoot, toHash, ZERO_HASH } from '@keelson/primitives'
import { createFakeRpc, type FakeRpc, rpcFailure } from '../fake-rpc.test-support.ts'
import {
  blockJson,
  receiptJson,
  sampleBlobTransaction,
  sampleBlock,
  sampleReceipts,
  sampleTransaction,
} from '../sample-block.test-support.ts'
import { encodeWithSidecar } from '../tx/blob-sidecar.ts'
import { createL1Client, type L1Client } from './l1-client.ts'

describe('L1 client', () => {
  const block = sampleBlock(5, ZERO_HASH, [sampleTransaction(0n), sampleTransaction(1n)])
  const empty = sampleBlock(6, block.hash, [])
  const blocks: readonly Block[] = [block, empty]
  const unknown = toHash(`0x${'ee'.repeat(32)}`)
  let rpc: FakeRpc
  let l1: L1Client

  beforeEach(() => {
    rpc = createFakeRpc({
      eth_getBlockByHash: (hash: Hash, full: boolean) => find((b) => b.hash === hash, full),
      eth_getBlockByNumber: (at: string, full: boolean) =>
        at === 'latest' ? blockJson(empty, full) : find((b) => b.header.number === Number(at), full),
      eth_getBlockReceipts: (hash: Hash) => (hash === block.hash ? sampleReceipts(2).map(receiptJson) : null),
    })
    l1 = createL1Client(rpc)
  })
  const find = (matches: (block: Block) => boolean, full: boolean) => {
    const found = blocks.find(matches)
    return found === undefined ? null : blockJson(found, full)
  }
  const answerWith = (method: string, answer: (...params: never[]) => unknown) => {
    rpc.methods = { ...rpc.methods, [method]: answer }
  }
  const methods = () => rpc.calls.map(({ method }) => method)

  it('gives references by label, number and hash', async () => {
    const expected = { hash: empty.hash, number: 6, parentHash: block.hash, timestampSec: 1072 }
    assert.deepEqual(await l1.blockRef('latest'), expected)
    assert.deepEqual(await l1.blockRef(6), expected)
    assert.deepEqual(await l1.blockRef(empty.hash), expected)
    assert.deepEqual(await l1.blockRef(7), null)
    assert.deepEqual(await l1.blockRef(unknown), null)
  })

  it('gives headers, transactions and receipts that match their roots', async () => {
    assert.deepEqual(await l1.header(block.hash), block.header)
    assert.deepEqual(
      (await l1.transactions(block.hash))?.map(({ raw }) => raw),
      block.transactions.map(({ raw }) => raw),
    )
    assert.deepEqual(await l1.receipts(block.hash), sampleReceipts(2))
  })

  it('asks once for what it has verified, and a number every time', async () => {
    for (let i = 0; i < 3; i++) {
      await l1.transactions(block.hash)
      await l1.receipts(block.hash)
      await l1.header(block.hash)
      await l1.blockRef(5)
    }
    assert.deepEqual(methods().sort(), ['eth_getBlockByHash', ...new Array(3).fill('eth_getBlockByNumber'), 'eth_getBlockReceipts'])
  })

  it('needs no receipts from a node for a block without any', async () => {
    assert.deepEqual(await l1.receipts(empty.hash), [])
    assert.ok(!methods().includes('eth_getBlockReceipts'))
  })

  it('gives null for unknown blocks and labels, and asks again the next time', async () => {
    for (let i = 0; i < 2; i++) {
      assert.equal(await l1.header(unknown), null)
      assert.equal(await l1.transactions(unknown), null)
      assert.equal(await l1.receipts(unknown), null)
    }
    assert.equal(rpc.calls.length, 6)
    answerWith('eth_getBlockByNumber', () => {
      throw rpcFailure(-39001, 'Unknown block')
    })
    assert.equal(await l1.blockRef('finalized'), null)
    answerWith('eth_getBlockByNumber', () => {
      throw rpcFailure(-32000, 'finalized block not found')
    })
    assert.equal(await l1.blockRef('finalized'), null)
  })

  it('passes other errors on', async () => {
    answerWith('eth_getBlockByNumber', () => {
      throw rpcFailure(-32000, 'disk on fire')
    })
    await assert.rejects(l1.blockRef('latest'), { code: 'client/rpc' })
  })

  it('refuses a header that does not hash to what was asked for', async () => {
    answerWith('eth_getBlockByHash', (_hash: Hash, full: boolean) => blockJson(empty, full))
    await assert.rejects(l1.header(block.hash), { code: 'client/block-mismatch', severity: 'temporary' })
    await assert.rejects(l1.transactions(block.hash), { code: 'client/block-mismatch', severity: 'temporary' })
    answerWith('eth_getBlockByHash', () => ({ ...blockJson(block, false), gasUsed: '0x1' }))
    await assert.rejects(l1.header(block.hash), { code: 'client/bad-answer', severity: 'temporary' })
  })

  it('refuses another block than the number asked for', async () => {
    answerWith('eth_getBlockByNumber', () => blockJson(block, false))
    await assert.rejects(l1.blockRef(6), { code: 'client/block-mismatch' })
  })

  it('refuses a list of transactions that is not the one of the header', async () => {
    answerWith('eth_getBlockByHash', () => ({
      ...blockJson(block, true),
      transactions: (blockJson(block, true).transactions as unknown[]).slice(1),
    }))
    await assert.rejects(l1.transactions(block.hash), { code: 'client/bad-answer', severity: 'temporary' })
  })

  it('refuses receipts that are not those of the header, and does not keep them', async () => {
    answerWith('eth_getBlockReceipts', () => sampleReceipts(1).map(receiptJson))
    await assert.rejects(l1.receipts(block.hash), { code: 'client/bad-answer', severity: 'temporary' })
    answerWith('eth_getBlockReceipts', () => sampleReceipts(2).map(receiptJson))
    assert.equal((await l1.receipts(block.hash))?.length, 2)
  })

  it('keeps nothing of a receipt that its root does not cover', async () => {
    const beside = { depositNonce: '0x7', contractAddress: `0x${'66'.repeat(20)}`, from: `0x${'66'.repeat(20)}`, l1Fee: '0x7' }
    answerWith('eth_getBlockReceipts', () => sampleReceipts(2).map((receipt) => ({ ...receiptJson(receipt), ...beside })))
    assert.deepEqual(await l1.receipts(block.hash), sampleReceipts(2))
  })

  it('keeps nothing of a block that its hash does not cover', async () => {
    const beside = { size: '0x7', totalDifficulty: '0x7', uncles: [`0x${'66'.repeat(32)}`] }
    const lyingSenders = (full: boolean) => {
      const json = blockJson(block, full)
      if (!full) return { ...json, ...beside }
      return { ...json, ...beside, transactions: (json.transactions as object[]).map((tx) => ({ ...tx, from: `0x${'66'.repeat(20)}` })) }
    }
    answerWith('eth_getBlockByHash', (_hash: Hash, full: boolean) => lyingSenders(full))
    assert.deepEqual(await l1.header(block.hash), block.header)
    assert.deepEqual(
      (await l1.transactions(block.hash))?.map(({ raw }) => bytesToHex(raw)),
      block.transactions.map(({ raw }) => bytesToHex(raw)),
    )
  })

  it('takes receipts one by one from a node that cannot give them by block', async () => {
    answerWith('eth_getBlockReceipts', () => {
      throw rpcFailure(-32601, 'the method eth_getBlockReceipts does not exist/is not available')
    })
    answerWith('eth_getTransactionReceipt', (hash: Hash) =>
      receiptJson(sampleReceipts(2)[block.transactions.findIndex((tx) => tx.hash === hash)] as never),
    )
    assert.deepEqual(await l1.receipts(block.hash), sampleReceipts(2))
    assert.equal(methods().filter((method) => method === 'eth_getTransactionReceipt').length, 2)
  })

  it('needs no proofs, no traces and no filters: the methods every node has are enough', async () => {
    const { eth_getBlockReceipts: _, ...least } = rpc.methods
    rpc.methods = {
      ...least,
      eth_getTransactionReceipt: (hash: Hash) =>
        receiptJson(sampleReceipts(2)[block.transactions.findIndex((tx) => tx.hash === hash)] as never),
    }
    for (const at of ['latest', 5, block.hash] as const) assert.ok(await l1.blockRef(at))
    assert.ok((await l1.header(block.hash)) && (await l1.transactions(block.hash)) && (await l1.receipts(block.hash)))
    assert.deepEqual(
      new Set(methods()),
      new Set(['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getBlockReceipts', 'eth_getTransactionReceipt']),
    )
  })

  it('calls receipts late when the block is there, and null when the block has gone meanwhile', async () => {
    for (const late of [null, []]) {
      answerWith('eth_getBlockReceipts', () => late)
      await assert.rejects(l1.receipts(block.hash), { code: 'client/receipts-missing', severity: 'temporary' })
    }
    answerWith('eth_getBlockByHash', () => null)
    answerWith('eth_getBlockByNumber', () => blockJson(sampleBlock(5, unknown, []), false))
    assert.equal(await l1.receipts(block.hash), null)
  })

  it('does not call a block gone that a node behind a load balancer has not seen yet', async () => {
    await l1.header(block.hash)
    answerWith('eth_getBlockByHash', () => null)
    answerWith('eth_getBlockReceipts', () => null)
    await assert.rejects(l1.transactions(block.hash), { code: 'client/block-missing', severity: 'temporary' })
    await assert.rejects(l1.receipts(block.hash), { code: 'client/block-missing' })
    answerWith('eth_getBlockByNumber', () => null)
    await assert.rejects(l1.transactions(block.hash), { code: 'client/block-missing' })
    answerWith('eth_getBlockByNumber', () => blockJson(sampleBlock(5, unknown, []), false))
    assert.equal(await l1.transactions(block.hash), null)
  })

  it('takes receipts one by one however a provider says that the method is not served, and does not ask for it again', async () => {
    for (const [number, text] of [
      [-32601, 'x'],
      [-32600, 'Unsupported method: eth_getBlockReceipts'],
      [-32000, 'the method eth_getBlockReceipts is not available on your plan'],
      [-32004, 'method not supported'],
    ] as const) {
      answerWith('eth_getBlockReceipts', () => {
        throw rpcFailure(number, text)
      })
      answerWith('eth_getTransactionReceipt', (hash: Hash) =>
        receiptJson(sampleReceipts(2)[block.transactions.findIndex((tx) => tx.hash === hash)] as never),
      )
      l1 = createL1Client(rpc)
      rpc.calls.length = 0
      assert.equal((await l1.receipts(block.hash))?.length, 2)
      assert.equal(methods().filter((method) => method === 'eth_getBlockReceipts').length, 1, text)
    }
  })

  describe('of a node that hashes blob transactions with their sidecars', () => {
    const tx = sampleBlobTransaction(4n, 1)
    const sidecar = {
      form: 'blob-proofs',
      blobs: [new Uint8Array(500)],
      commitments: [new Uint8Array(48)],
      proofs: [new Uint8Array(48)],
      versionedHashes: [],
    } as const
    const networkForm = encodeWithSidecar(tx, sidecar)
    const odd = sampleBlock(7, empty.hash, [tx], { transactionsRoot: orderedListRoot([networkForm]) })

    it('gives the bare transactions when the root is that of what the node keeps', async () => {
      answerWith('eth_getBlockByHash', (_hash: Hash, full: boolean) => blockJson(odd, full))
      answerWith('eth_getRawTransactionByHash', () => bytesToHex(networkForm))
      assert.deepEqual(
        (await l1.transactions(odd.hash))?.map(({ raw }) => raw),
        [tx.raw],
      )
    })

    it('refuses a root that is of nothing the node shows', async () => {
      answerWith('eth_getBlockByHash', (_hash: Hash, full: boolean) => blockJson(odd, full))
      const other = encodeWithSidecar(sampleBlobTransaction(5n, 1), sidecar)
      for (const raw of [tx.raw, other, Uint8Array.of(3, 0xc0), Uint8Array.of(3)]) {
        answerWith('eth_getRawTransactionByHash', () => bytesToHex(raw))
        await assert.rejects(l1.transactions(odd.hash), { code: 'client/bad-answer', severity: 'temporary' })
      }
    })
  })
})
