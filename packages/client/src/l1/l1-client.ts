/** Headers are checked against the requested hash, transactions and receipts against the header's roots. */
import {
  checkReceiptsRoot,
  EMPTY_TRIE_ROOT,
  formatQuantity,
  type Hash,
  type HashedHeader,
  type Header,
  type L1BlockRef,
  parseBlockJson,
  parseHeaderJson,
  parseJsonArray,
  parseReceiptJson,
  type Receipt,
  type Transaction,
} from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import { ClientError, RpcResponseError } from '../client-error.ts'
import { type AnswerLimit, blockLimit, HEADER_LIMIT, receiptsLimit } from '../rpc/answer-limit.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { isUnknownBlock } from '../rpc/unknown-block.ts'
import { verified } from '../rpc/verified.ts'
import { type BlockWithTransactions, readNetworkFormBlock } from './network-form-root.ts'

export type L1BlockLabel = 'latest' | 'safe' | 'finalized'

/** Null means that this L1 does not know the block. */
export interface L1Client {
  blockRef(at: L1BlockLabel | number | Hash): Promise<L1BlockRef | null>
  header(hash: Hash): Promise<Header | null>
  transactions(hash: Hash): Promise<readonly Transaction[] | null>
  receipts(hash: Hash): Promise<readonly Receipt[] | null>
}

/** Verified data by hash, which clients of one L1 may share. */
export interface L1Caches {
  readonly headers: LRUCache<Hash, Header>
  readonly transactions: LRUCache<Hash, readonly Transaction[]>
  readonly receipts: LRUCache<Hash, readonly Receipt[]>
}

export interface L1CacheOptions {
  readonly maxCachedHeaders?: number
  readonly maxCachedBlocks?: number
  readonly maxCachedBytes?: number
}

const METHOD_NOT_FOUND = -32601
const UNSUPPORTED_METHOD =
  /method.*(not (found|supported|available|exist|whitelisted|allowed|enabled)|does not exist)|unsupported method|unknown method/i
const BYTES_PER_LOG = 300

export function createL1Caches(options: L1CacheOptions = {}): L1Caches {
  const maxSize = (options.maxCachedBytes ?? 128 * 1024 * 1024) / 2
  const max = options.maxCachedBlocks ?? 512
  return {
    headers: new LRUCache({ max: options.maxCachedHeaders ?? 4096 }),
    transactions: new LRUCache({ max, maxSize }),
    receipts: new LRUCache({ max, maxSize }),
  }
}

export function createL1Client(rpc: RpcClient, caches: L1Caches = createL1Caches()): L1Client {
  const { headers, transactions, receipts } = caches
  let blockReceiptsSupported = true

  const remember = (found: HashedHeader) => {
    headers.set(found.hash, found.header)
    return found
  }

  const fetchHeader = async (hash: Hash): Promise<Header | null> => {
    const cached = headers.get(hash)
    if (cached !== undefined) return cached
    const found = await getBlock('eth_getBlockByHash', hash, false, parseHeaderJson)
    if (found === null) return null
    expectBlock(rpc.host, found.hash, hash)
    return remember(found).header
  }

  const getBlock = async <T>(
    method: string,
    at: string,
    full: boolean,
    parse: (value: unknown) => T,
    limit: AnswerLimit = full ? blockLimit() : HEADER_LIMIT,
  ): Promise<T | null> => {
    try {
      const answer = await rpc.call(method, [at, full], { limit })
      return answer === null ? null : verified(rpc.host, () => parse(answer), `block ${at}`)
    } catch (error) {
      if (isUnknownBlock(error)) return null
      throw error
    }
  }

  const readBlock = async (answer: unknown, hash: Hash): Promise<BlockWithTransactions> => {
    try {
      return parseBlockJson(answer)
    } catch (error) {
      const other = await readNetworkFormBlock(answer, rpc).catch(() => null)
      return other ?? verified(rpc.host, () => rethrow(error), `the transactions of block ${hash}`)
    }
  }

  const fetchReceipts = async (header: Header, hash: Hash): Promise<readonly Receipt[] | null> => {
    if (header.receiptsRoot === EMPTY_TRIE_ROOT) return []
    const answer = blockReceiptsSupported ? await getBlockReceipts(header, hash) : 'unsupported'
    if (answer !== 'unsupported') return answer === null ? null : parseReceipts(rpc.host, answer, header, hash)
    blockReceiptsSupported = false
    const ours = await client.transactions(hash)
    if (ours === null) return null
    const calls = ours.map((tx) => ({ method: 'eth_getTransactionReceipt', params: [tx.hash] }))
    const outcomes = await rpc.batch(calls, { limit: receiptsLimit(header) })
    const answers = outcomes.map((outcome) => {
      if (!outcome.ok) throw outcome.error
      return outcome.result
    })
    return answers.includes(null) ? null : parseReceipts(rpc.host, answers, header, hash)
  }

  const getBlockReceipts = async (header: Header, hash: Hash): Promise<unknown> => {
    try {
      return await rpc.call('eth_getBlockReceipts', [hash], { limit: receiptsLimit(header) })
    } catch (error) {
      if (!(error instanceof RpcResponseError)) throw error
      if (error.number === METHOD_NOT_FOUND || UNSUPPORTED_METHOD.test(error.text)) return 'unsupported'
      if (isUnknownBlock(error)) return null
      throw error
    }
  }

  const client: L1Client = {
    async blockRef(at) {
      if (typeof at === 'string' && at.startsWith('0x')) {
        const header = await fetchHeader(at as Hash)
        return header === null ? null : toRef({ hash: at as Hash, header })
      }
      const tag = typeof at === 'number' ? formatQuantity(at) : at
      const found = await getBlock('eth_getBlockByNumber', tag, false, parseHeaderJson)
      if (found === null) return null
      if (typeof at === 'number' && found.header.number !== at) {
        throw new ClientError(
          'client/block-mismatch',
          'temporary',
          `${rpc.host} was asked for block ${at} and gave block ${found.header.number}`,
        )
      }
      return toRef(remember(found))
    },
    header: fetchHeader,
    async transactions(hash) {
      const cached = transactions.get(hash)
      if (cached !== undefined) return cached
      const answer = await getBlock('eth_getBlockByHash', hash, true, (value) => value, blockLimit(headers.get(hash)?.gasLimit))
      if (answer === null) return headers.get(hash) === undefined ? null : goneOrLate(headers.get(hash) as Header, hash)
      const block = await readBlock(answer, hash)
      expectBlock(rpc.host, block.hash, hash)
      remember(block)
      transactions.set(hash, block.transactions, { size: sizeOf(block.transactions) })
      return block.transactions
    },
    async receipts(hash) {
      const cached = receipts.get(hash)
      if (cached !== undefined) return cached
      const header = await fetchHeader(hash)
      if (header === null) return null
      const found = await fetchReceipts(header, hash)
      if (found === null) return missingReceipts(header, hash)
      receipts.set(hash, found, { size: sizeOfReceipts(found) })
      return found
    },
  }

  /** Throws ClientError `client/receipts-missing` unless the block itself is missing. */
  const missingReceipts = async (header: Header, hash: Hash): Promise<null> => {
    if ((await getBlock('eth_getBlockByHash', hash, false, parseHeaderJson)) === null) return goneOrLate(header, hash)
    throw new ClientError(
      'client/receipts-missing',
      'temporary',
      `${rpc.host} knows block ${header.number} (${hash}) but not its receipts: it is behind, or keeps no history that old`,
      { blockNumber: header.number, blockHash: hash },
    )
  }

  /** Returns null when another block has this number; throws ClientError `client/block-missing` when the node lags. */
  const goneOrLate = async (header: Header, hash: Hash): Promise<null> => {
    const there = await client.blockRef(header.number)
    if (there !== null && there.hash !== hash) return null
    throw new ClientError(
      'client/block-missing',
      'temporary',
      `${rpc.host} does not know block ${header.number} (${hash}), which was there before, and has no other in its place: it is behind, or went back`,
      { blockNumber: header.number, blockHash: hash },
    )
  }

  return client
}

function toRef({ hash, header }: HashedHeader): L1BlockRef {
  return { hash, number: header.number, parentHash: header.parentHash, timestampSec: header.timestampSec }
}

function expectBlock(host: string, got: Hash, asked: Hash): void {
  if (got !== asked) {
    throw new ClientError('client/block-mismatch', 'temporary', `${host} was asked for block ${asked} and gave ${got}`, { asked, got })
  }
}

function parseReceipts(host: string, answer: unknown, header: Header, hash: Hash): readonly Receipt[] | null {
  // Some nodes return an empty list while they index.
  if (Array.isArray(answer) && answer.length === 0) return null
  return verified(
    host,
    () => {
      const receipts = parseJsonArray(answer, 'receipts', parseReceiptJson)
      checkReceiptsRoot(receipts, header)
      return receipts.map(withoutUncovered)
    },
    `the receipts of block ${header.number} (${hash})`,
  )
}

/** Drops a deposit nonce without version: the receipts root covers both or neither. */
function withoutUncovered(receipt: Receipt): Receipt {
  return receipt.depositReceiptVersion === null && receipt.depositNonce !== null ? { ...receipt, depositNonce: null } : receipt
}

function rethrow(error: unknown): never {
  throw error
}

/** Base size, because the cache rejects entries of size 0. */
const BLOCK_BYTES = 100

function sizeOf(transactions: readonly Transaction[]): number {
  return transactions.reduce((sum, tx) => sum + 2 * tx.raw.length + 500, BLOCK_BYTES)
}

function sizeOfReceipts(receipts: readonly Receipt[]): number {
  return receipts.reduce(
    (sum, receipt) => sum + 500 + receipt.logs.reduce((logs, log) => logs + log.data.length + BYTES_PER_LOG, 0),
    BLOCK_BYTES,
  )
}
