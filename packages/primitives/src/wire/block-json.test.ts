import assert from 'node:assert/strict'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeWithdrawal } from '../block/block.ts'
import {
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  type Header,
  hashHeader,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../block/header.ts'
import { orderedListRoot } from '../block/list-root.ts'
import { encodeReceipt, type Receipt } from '../block/receipt.ts'
import { CodecError } from '../errors.ts'
import { hexToBytes, toAddress } from '../hex.ts'
import { decodeSignedTransaction } from '../tx/decode-transaction.ts'
import { checkReceiptsRoot, headerToJson, parseBlockJson, parseHeaderJson, withdrawalToJson } from './block-json.ts'
import { parseReceiptJson } from './receipt-json.ts'

const BLOCK_1 = {
  difficulty: '0x3ff800000',
  extraData: '0x476574682f76312e302e302f6c696e75782f676f312e342e32',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  hash: '0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6',
  logsBloom: `0x${'00'.repeat(256)}`,
  miner: '0x05a56E2D52c817161883f50c441c3228CFe54d9f',
  mixHash: '0x969b900de27b6ac6a67742365dd65f55a0526c41fd18e1b16f1a1215c2e66f59',
  nonce: '0x539bd4979fef1ec4',
  number: '0x1',
  parentHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  size: '0x219',
  stateRoot: '0xd67e4d450343046425ae4271474353857ab860dbc0a1dde64b41b5cd3a532bf3',
  timestamp: '0x55ba4224',
  totalDifficulty: '0x7ff800000',
  transactions: [],
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  uncles: [],
}

/** Header of go-ethereum 1.17.7: op-service/sources, TestRPCHeaderAmsterdamFields and TestRPCHeaderPreAmsterdamUnchanged. */
const AMSTERDAM = {
  parentHash: `0x${'00'.repeat(31)}01`,
  sha3Uncles: EMPTY_OMMERS_HASH,
  miner: ZERO_ADDRESS,
  stateRoot: `0x${'00'.repeat(31)}02`,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: `0x${'00'.repeat(256)}`,
  difficulty: '0x0',
  number: '0x989680',
  gasLimit: '0x3938700',
  gasUsed: '0x0',
  timestamp: '0x6ac4fd60',
  extraData: '0x',
  mixHash: ZERO_HASH,
  nonce: '0x0000000000000000',
  baseFeePerGas: '0x7',
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: EMPTY_REQUESTS_HASH,
  blockAccessListHash: `0xba01${'00'.repeat(30)}`,
  slotNumber: '0xac6000',
  hash: '0x8a5873e9569d658c029c64934fb5136ae61f51824ad0658499010864ae39b9c1',
}
const WITHOUT_AMSTERDAM_HASH = '0x674ef048b9dc0acfb0837431fddf9bf19b689effe7207df912cbf774899338be'

const account = privateKeyToAccount(`0x${'31'.repeat(32)}`)
const withdrawal = { index: 5n, validatorIndex: 6n, address: toAddress(`0x${'aa'.repeat(20)}`), amountGwei: 7n }

function header(overrides: Partial<Header>): Header {
  return {
    parentHash: ZERO_HASH,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number: 9,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestampSec: 1_700_000_000,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
    ...overrides,
  }
}

async function answer(overrides: Partial<Header> = {}) {
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 1,
    gas: 21_000n,
    maxFeePerGas: 9n,
    to: account.address,
    value: 3n,
  })
  const tx = decodeSignedTransaction(hexToBytes(raw))
  const own = header({
    transactionsRoot: orderedListRoot([tx.raw]),
    withdrawalsRoot: orderedListRoot([encodeWithdrawal(withdrawal)]),
    ...overrides,
  })
  const transaction = {
    type: '0x2',
    hash: tx.hash,
    chainId: '0x1',
    nonce: '0x1',
    gas: '0x5208',
    maxFeePerGas: '0x9',
    maxPriorityFeePerGas: '0x0',
    to: account.address,
    value: '0x3',
    input: '0x',
    accessList: [],
    yParity: tx.signature.yParity === 0 ? '0x0' : '0x1',
    r: `0x${tx.signature.r.toString(16)}`,
    s: `0x${tx.signature.s.toString(16).padStart(64, '0')}`,
  }
  const json = { ...headerToJson(own), hash: hashHeader(own), transactions: [transaction], withdrawals: [withdrawalToJson(withdrawal)] }
  return { json, own, tx, transaction }
}

const refuses = (run: () => unknown, code: string, reason: RegExp) =>
  assert.throws(run, (error) => error instanceof CodecError && error.code === code && reason.test(error.message), String(reason))

describe('headers and blocks as JSON', () => {
  it('reads a real header and takes its hash from its fields', () => {
    const { hash, header: read } = parseHeaderJson(BLOCK_1)
    assert.equal(hash, BLOCK_1.hash)
    assert.equal(read.feeRecipient, BLOCK_1.miner.toLowerCase())
    assert.equal(parseBlockJson(BLOCK_1).transactions.length, 0)
    const { hash: _hash, miner, size: _size, totalDifficulty: _total, transactions: _txs, uncles: _uncles, ...fields } = BLOCK_1
    assert.deepEqual(headerToJson(read), { ...fields, miner: miner.toLowerCase() })
  })

  it('reads an L1 header with Amsterdam fields, and the same header without them as a different one', () => {
    const { hash, header: read } = parseHeaderJson(AMSTERDAM)
    assert.equal(hash, AMSTERDAM.hash)
    assert.equal(read.slotNumber, 11_296_768n)
    const { hash: _hash, ...fields } = AMSTERDAM
    assert.deepEqual(headerToJson(read), fields)
    const { blockAccessListHash: _list, slotNumber: _slot, ...before } = AMSTERDAM
    assert.equal(parseHeaderJson({ ...before, hash: WITHOUT_AMSTERDAM_HASH }).hash, WITHOUT_AMSTERDAM_HASH)
    refuses(() => parseHeaderJson(before), 'codec/header', /its fields hash to 0x674ef0.* but the answer says 0x8a5873\S+$/)
    refuses(() => parseHeaderJson({ ...AMSTERDAM, slotNumber: '0x10000000000000000' }), 'codec/number', /^slotNumber: /)
  })

  it('reports that unknown fields may belong to an unsupported fork, and names few of them', () => {
    const later = { ...AMSTERDAM, hash: ZERO_HASH, inclusionListRoot: ZERO_HASH }
    refuses(
      () => parseHeaderJson(later),
      'codec/header',
      /fields that this release does not know \(inclusionListRoot\): .* install a release/,
    )
    const names = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, '0x0']))
    refuses(
      () => parseHeaderJson({ ...later, ...names, ['\n'.repeat(50)]: '' }),
      'codec/header',
      /\(inclusionListRoot, field0, field1, field2, \.\.\.\): /,
    )
    refuses(() => parseHeaderJson({ ...AMSTERDAM, hash: ZERO_HASH, 'a b': '' }), 'codec/header', /does not know \(\.\.\.\): /)
    assert.equal(parseHeaderJson({ ...AMSTERDAM, inclusionListRoot: ZERO_HASH }).hash, AMSTERDAM.hash, 'what the hash does not cover')
  })

  it('rejects a header whose fields do not match its hash', () => {
    for (const change of [{ number: '0x2' }, { extraData: '0x' }, { baseFeePerGas: '0x7' }, { hash: ZERO_HASH }]) {
      refuses(() => parseHeaderJson({ ...BLOCK_1, ...change }), 'codec/header', /its fields hash to 0x.* but the answer says 0x/)
    }
    refuses(() => parseHeaderJson({ ...BLOCK_1, number: '0x01' }), 'codec/number', /^number: /)
    refuses(() => parseHeaderJson({ ...BLOCK_1, nonce: '0x00' }), 'codec/hex', /^nonce: expected 8 bytes/)
    refuses(() => parseHeaderJson(null), 'codec/json', /header: expected an object, got null/)
  })

  it('reads a block with transactions and withdrawals', async () => {
    const { json, own, tx } = await answer()
    const block = parseBlockJson(JSON.parse(JSON.stringify(json)))
    assert.equal(block.hash, hashHeader(own))
    assert.deepEqual(block.header, own)
    assert.deepEqual(block.withdrawals, [withdrawal])
    assert.equal(block.transactions[0]?.hash, tx.hash)
    assert.deepEqual(block.transactions[0]?.raw, tx.raw)
  })

  it('rejects a block whose lists do not match its roots', async () => {
    const { json, transaction } = await answer()
    refuses(() => parseBlockJson({ ...json, transactions: [] }), 'codec/payload', /block 9: its transactions have root/)
    refuses(() => parseBlockJson({ ...json, transactions: [transaction, transaction] }), 'codec/payload', /its transactions have root/)
    refuses(() => parseBlockJson({ ...json, transactions: [null] }), 'codec/json', /transactions\[0\]: expected an object, got null/)
    refuses(() => parseBlockJson({ ...json, transactions: [transaction.hash] }), 'codec/json', /transactions\[0\]: expected an object/)
    refuses(() => parseBlockJson({ ...json, transactions: [{ ...transaction, value: '0x4' }] }), 'codec/transaction', /its fields hash to/)
    refuses(
      () => parseBlockJson({ ...json, withdrawals: [{ ...withdrawalToJson(withdrawal), amount: '0x8' }] }),
      'codec/payload',
      /withdrawals have root/,
    )
    refuses(() => parseBlockJson({ ...json, withdrawals: undefined }), 'codec/payload', /has a withdrawals root but no withdrawals/)
    const { json: without } = await answer({ withdrawalsRoot: null })
    refuses(() => parseBlockJson(without), 'codec/payload', /has withdrawals but no withdrawals root/)
  })

  it('reports that an unknown transaction type probably belongs to a new fork', async () => {
    const { json } = await answer()
    const later = { type: '0x5', hash: ZERO_HASH, chainId: '0x1', frames: [] }
    refuses(
      () => parseBlockJson({ ...json, transactions: [later] }),
      'codec/transaction',
      /transactions\[0\]: this release does not know transactions of type 5: the chain has probably activated a fork .* install/,
    )
  })

  it('accepts an empty list with a storage root, as in rollup blocks', async () => {
    const { json } = await answer({ withdrawalsRoot: ZERO_HASH })
    assert.deepEqual(parseBlockJson({ ...json, withdrawals: [] }).withdrawals, [])
  })
})

describe('receipts as JSON', () => {
  const json = {
    type: '0x7e',
    status: '0x1',
    cumulativeGasUsed: '0xb741',
    logsBloom: `0x${'00'.repeat(256)}`,
    logs: [{ address: `0x${'AB'.repeat(20)}`, topics: [`0x${'01'.repeat(32)}`], data: '0x0203', logIndex: '0x0', removed: false }],
    depositNonce: '0x5',
    depositReceiptVersion: '0x1',
    l1Fee: '0x0',
  }

  it('reads the consensus form and checks a block of them against its root', () => {
    const receipt = parseReceiptJson(json)
    const expected: Receipt = {
      type: 0x7e,
      outcome: { status: 1 },
      cumulativeGasUsed: 46_913n,
      logsBloom: new Uint8Array(256),
      logs: [{ address: toAddress(`0x${'ab'.repeat(20)}`), topics: [`0x${'01'.repeat(32)}` as never], data: Uint8Array.of(2, 3) }],
      depositNonce: 5n,
      depositReceiptVersion: 1n,
    }
    assert.deepEqual(receipt, expected)
    const receiptsRoot = orderedListRoot([encodeReceipt(receipt)])
    checkReceiptsRoot([receipt], { number: 9, receiptsRoot })
    refuses(() => checkReceiptsRoot([receipt, receipt], { number: 9, receiptsRoot }), 'codec/receipt', /block 9: 2 receipts have root/)
    const later = { ...receipt, type: 0x05 }
    refuses(() => checkReceiptsRoot([later], { number: 9, receiptsRoot }), 'codec/receipt', /receipts of type 5: .* install a release/)
    checkReceiptsRoot([later], { number: 9, receiptsRoot: orderedListRoot([encodeReceipt(later)]) })
  })

  it('reads old receipts with a root and rejects incomplete ones', () => {
    const { status: _status, type: _type, depositNonce: _nonce, depositReceiptVersion: _version, ...rest } = json
    assert.deepEqual(parseReceiptJson({ ...rest, root: ZERO_HASH }).outcome, { root: ZERO_HASH })
    assert.equal(parseReceiptJson({ ...rest, root: ZERO_HASH }).type, 0)
    refuses(() => parseReceiptJson(rest), 'codec/hash', /receipt\.root/)
    refuses(() => parseReceiptJson({ ...json, status: '0x2' }), 'codec/receipt', /status must be 0x0 or 0x1/)
    refuses(() => parseReceiptJson({ ...json, logs: [{ ...json.logs[0], topics: ['0x01'] }] }), 'codec/hash', /logs\[0\]\.topics\[0\]/)
  })
})
