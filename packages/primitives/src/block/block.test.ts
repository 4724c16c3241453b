import assert from 'node:assert/strict'
import { createBlockFromRLP } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { privateKeyToAccount } from 'viem/accounts'
import { blockToPayload, payloadHash, payloadMismatch, payloadToBlock } from '../engine/payload-block.ts'
import { bytesToHex, hexToBytes, toAddress } from '../hex.ts'
import { type RlpInput, rlpDecode, rlpEncode, rlpList } from '../rlp.ts'
import { decodeSignedTransaction } from '../tx/decode-transaction.ts'
import { encodeDeposit } from '../tx/encode-transaction.ts'
import { TX_DEPOSIT } from '../tx/transaction.ts'
import { type Block, decodeBlock, encodeBlock, encodeWithdrawal } from './block.ts'
import {
  EMPTY_BLOCK_ACCESS_LIST_HASH,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  type Header,
  hashHeader,
  ZERO_ADDRESS,
  ZERO_HASH,
} from './header.ts'
import { orderedListRoot } from './list-root.ts'

const account = privateKeyToAccount(`0x${'2a'.repeat(32)}`)

async function userTransactions() {
  const common = { chainId: 1, gas: 21_000n, to: account.address } as const
  return Promise.all(
    [
      account.signTransaction({ type: 'legacy', ...common, nonce: 0, gasPrice: 10n ** 10n }),
      account.signTransaction({ type: 'eip1559', ...common, nonce: 1, maxFeePerGas: 10n ** 10n }),
    ].map(async (raw) => decodeSignedTransaction(hexToBytes(await raw))),
  )
}

const withdrawals = [{ index: 1n, validatorIndex: 2n, address: toAddress(`0x${'11'.repeat(20)}`), amountGwei: 3n }]

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
    number: 20_000_000,
    gasLimit: 30_000_000n,
    gasUsed: 42_000n,
    timestampSec: 1_800_000_000,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
    ...overrides,
  }
}

async function l1Block(): Promise<Block> {
  const transactions = await userTransactions()
  const own = header({
    transactionsRoot: orderedListRoot(transactions.map((tx) => tx.raw)),
    withdrawalsRoot: orderedListRoot(withdrawals.map(encodeWithdrawal)),
  })
  return { hash: hashHeader(own), header: own, transactions, withdrawals }
}

describe('blocks', () => {
  it('are encoded as the reference library expects, and decoded again', async () => {
    const block = await l1Block()
    const raw = encodeBlock(block)
    const theirs = createBlockFromRLP(raw, { common: new Common({ chain: Mainnet, hardfork: Hardfork.Cancun }) })
    assert.equal(bytesToHex(theirs.hash()), block.hash)
    assert.equal(theirs.transactions.length, 2)
    assert.ok(await theirs.transactionsTrieIsValid())
    assert.ok(await theirs.withdrawalsTrieIsValid())
    const again = decodeBlock(raw)
    assert.equal(again.hash, block.hash)
    assert.deepEqual(again.header, block.header)
    assert.deepEqual(again.withdrawals, withdrawals)
    assert.deepEqual(
      again.transactions.map((tx) => tx.hash),
      block.transactions.map((tx) => tx.hash),
    )
  })

  it('convert to a payload and back with the same hash, with and without a storage root', async () => {
    const deposit = encodeDeposit({
      type: TX_DEPOSIT,
      sourceHash: new Uint8Array(32),
      from: new Uint8Array(20),
      to: new Uint8Array(20),
      mintWei: 0n,
      valueWei: 0n,
      gasLimit: 1_000_000n,
      isSystemTx: false,
      data: new Uint8Array(0),
    })
    const transactions = [deposit, ...(await userTransactions())]
    const transactionsRoot = orderedListRoot(transactions.map((tx) => tx.raw))
    const storageRoot = hashHeader(header({}))
    const isthmus = header({ transactionsRoot, withdrawalsRoot: storageRoot, requestsHash: EMPTY_REQUESTS_HASH })
    const ecotone = header({ transactionsRoot })
    for (const [own, hasStorageRoot] of [
      [isthmus, true],
      [ecotone, false],
    ] as const) {
      const block: Block = { hash: hashHeader(own), header: own, transactions, withdrawals: [] }
      const { payload, parentBeaconBlockRoot } = blockToPayload(block, hasStorageRoot)
      assert.equal(payload.withdrawalsRoot, hasStorageRoot ? storageRoot : null)
      assert.equal(payloadHash(payload, parentBeaconBlockRoot), block.hash)
      const again = payloadToBlock(payload, parentBeaconBlockRoot)
      assert.deepEqual(again.header, own)
      assert.equal(again.hash, block.hash)
      assert.equal(again.transactions[0]?.hash, deposit.hash)
    }
  })

  it('with the Amsterdam fields of L1 cannot become a payload', () => {
    const list = { requestsHash: EMPTY_REQUESTS_HASH, blockAccessListHash: EMPTY_BLOCK_ACCESS_LIST_HASH }
    for (const fields of [list, { ...list, slotNumber: 1n }]) {
      const own = header(fields)
      const block: Block = { hash: hashHeader(own), header: own, transactions: [], withdrawals: [] }
      assert.throws(() => blockToPayload(block, true), { code: 'codec/payload', message: /which only blocks of L1 have/ })
      const { payload, parentBeaconBlockRoot } = blockToPayload(
        { ...block, header: { ...own, blockAccessListHash: null, slotNumber: null } },
        true,
      )
      const mismatch = payloadMismatch(payload, parentBeaconBlockRoot)
      assert.equal(mismatch?.kind, 'block-hash-mismatch')
      assert.equal(payload.blockHash, block.hash)
    }
  })

  it('have another hash when any field of the payload changes', async () => {
    const block = await l1Block()
    const { payload, parentBeaconBlockRoot } = blockToPayload(block, false)
    assert.equal(payloadHash(payload, parentBeaconBlockRoot), block.hash)
    const changed = [
      { ...payload, gasUsed: payload.gasUsed + 1n },
      { ...payload, transactions: payload.transactions.slice(1) },
      { ...payload, withdrawals: [] },
      { ...payload, blobGasUsed: 131_072n },
      { ...payload, extraData: Uint8Array.of(0) },
    ]
    for (const other of changed) assert.notEqual(payloadHash(other, parentBeaconBlockRoot), block.hash)
    assert.notEqual(payloadHash(payload, block.hash), block.hash)
  })

  it('are rejected with excess fields in a block or withdrawal', async () => {
    const block = await l1Block()
    const fields = rlpList(rlpDecode(encodeBlock(block)), 'block') as RlpInput[]
    assert.equal(decodeBlock(rlpEncode(fields)).hash, block.hash)
    assert.throws(() => decodeBlock(rlpEncode([...fields, []])), /5 fields/)
    assert.throws(() => decodeBlock(rlpEncode(fields.slice(0, 2))), /2 fields/)
    const withdrawal = [1n, 2n, new Uint8Array(20), 3n, 4n]
    assert.throws(() => decodeBlock(rlpEncode([...fields.slice(0, 3), [withdrawal]])), /withdrawal with 5 fields/)
  })
})
