import {
  type Block,
  bytesToHex,
  createPureCrypto,
  EMPTY_OMMERS_HASH,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  encodeReceipt,
  encodeSignedTransaction,
  formatQuantity,
  type Hash,
  type Header,
  hashHeader,
  headerToJson,
  isDeposit,
  logsBloom,
  orderedListRoot,
  type Receipt,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  TX_BLOB,
  TX_FEE_MARKET,
  toAddress,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'

const KEY = new Uint8Array(32).fill(7)
const crypto = createPureCrypto()

export function sampleTransaction(nonce: bigint, data = Uint8Array.of(1, 2, 3)): Transaction {
  const fields = {
    type: TX_FEE_MARKET,
    chainId: 900n,
    nonce,
    gasLimit: 50_000n,
    to: new Uint8Array(20).fill(9),
    valueWei: 5n,
    data,
    accessList: [],
    maxFeePerGasWei: 100n,
    maxPriorityFeePerGasWei: 1n,
  } as const
  return encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY))
}

export function sampleBlobTransaction(nonce: bigint, blobCount: number): SignedTransaction {
  const fields = {
    type: TX_BLOB,
    chainId: 900n,
    nonce,
    gasLimit: 21_000n,
    to: new Uint8Array(20).fill(9),
    valueWei: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerGasWei: 100n,
    maxPriorityFeePerGasWei: 1n,
    maxFeePerBlobGasWei: 3n,
    blobVersionedHashes: Array.from({ length: blobCount }, (_, i) => new Uint8Array(32).fill(i + 1)),
  } as const
  return encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), KEY))
}

export function sampleReceipts(count: number): Receipt[] {
  return Array.from({ length: count }, (_, i) => {
    const logs = [{ address: toAddress(`0x${'22'.repeat(20)}`), topics: [toHash(`0x${'33'.repeat(32)}`)], data: Uint8Array.of(i) }]
    return {
      type: TX_FEE_MARKET,
      outcome: { status: 1 },
      cumulativeGasUsed: BigInt(21_000 * (i + 1)),
      logsBloom: logsBloom(logs),
      logs,
      depositNonce: null,
      depositReceiptVersion: null,
    }
  })
}

export function sampleBlock(
  number: number,
  parentHash: Hash,
  transactions: readonly Transaction[],
  overrides: Partial<Header> = {},
): Block {
  const header: Header = {
    parentHash,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: orderedListRoot(transactions.map((tx) => tx.raw)),
    receiptsRoot: orderedListRoot(sampleReceipts(transactions.length).map(encodeReceipt)),
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n * BigInt(transactions.length),
    timestampSec: 1000 + 12 * number,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: 7n,
    withdrawalsRoot: EMPTY_TRIE_ROOT,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: EMPTY_REQUESTS_HASH,
    blockAccessListHash: null,
    slotNumber: null,
    ...overrides,
  }
  return { hash: hashHeader(header), header, transactions, withdrawals: [] }
}

export function transactionJson(tx: Transaction): Record<string, unknown> {
  if (isDeposit(tx) || (tx.type !== TX_FEE_MARKET && tx.type !== TX_BLOB)) throw new Error('the sample blocks hold types 2 and 3 only')
  const blobs =
    tx.type === TX_BLOB
      ? { maxFeePerBlobGas: formatQuantity(tx.maxFeePerBlobGasWei), blobVersionedHashes: tx.blobVersionedHashes.map(bytesToHex) }
      : {}
  return {
    ...blobs,
    type: formatQuantity(tx.type),
    hash: tx.hash,
    chainId: formatQuantity(tx.chainId),
    nonce: formatQuantity(tx.nonce),
    gas: formatQuantity(tx.gasLimit),
    to: tx.to === null ? null : bytesToHex(tx.to),
    value: formatQuantity(tx.valueWei),
    input: bytesToHex(tx.data),
    accessList: [],
    maxFeePerGas: formatQuantity(tx.maxFeePerGasWei),
    maxPriorityFeePerGas: formatQuantity(tx.maxPriorityFeePerGasWei),
    yParity: formatQuantity(tx.signature.yParity),
    v: formatQuantity(tx.signature.yParity),
    r: formatQuantity(tx.signature.r),
    s: formatQuantity(tx.signature.s),
  }
}

export function blockJson(block: Block, full: boolean): Record<string, unknown> {
  return {
    ...headerToJson(block.header),
    hash: block.hash,
    size: '0x100',
    uncles: [],
    withdrawals: [],
    transactions: block.transactions.map((tx) => (full ? transactionJson(tx) : tx.hash)),
  }
}

export function receiptJson(receipt: Receipt): Record<string, unknown> {
  return {
    type: formatQuantity(receipt.type),
    status: '0x1',
    cumulativeGasUsed: formatQuantity(receipt.cumulativeGasUsed),
    logsBloom: bytesToHex(receipt.logsBloom),
    logs: receipt.logs.map((log) => ({ address: log.address, topics: log.topics, data: bytesToHex(log.data) })),
  }
}
