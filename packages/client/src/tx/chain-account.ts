import {
  type Address,
  bytesToHex,
  CodecError,
  formatQuantity,
  type Hash,
  parseAddress,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantityNumber,
} from '@keelson/primitives'
import { ClientError, RpcResponseError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { isUnknownBlock } from '../rpc/unknown-block.ts'
import { verified } from '../rpc/verified.ts'
import type { ChainName } from './chain-name.ts'
import type { FeeQuote } from './fees.ts'
import { parseReceiptHash } from './receipt-hash.ts'
import { sealedOrNull } from './sealed-receipt.ts'

export interface TransactionReceipt {
  readonly transactionHash: Hash
  readonly blockHash: Hash
  readonly blockNumber: number
  /** False when the transaction was mined but reverted. */
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly effectiveGasPriceWei: bigint
  readonly blobGasUsed: bigint
  readonly blobGasPriceWei: bigint
}

export interface GasEstimateRequest {
  readonly to: Address | null
  readonly data: Uint8Array
  readonly valueWei: bigint
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly maxFeePerBlobGasWei: bigint | null
}

export interface ChainAccount {
  readonly chain: ChainName
  readonly address: Address
  chainId(): Promise<bigint>
  balanceWei(): Promise<bigint>
  nonce(at: 'latest' | 'pending' | number): Promise<bigint>
  headNumber(): Promise<number>
  /** Null while the node knows no finalized block. */
  finalizedNumber(): Promise<number | null>
  feeQuote(withBlobs: boolean): Promise<FeeQuote>
  /** Throws ClientError `client/transaction-reverts`. */
  estimateGas(request: GasEstimateRequest): Promise<bigint>
  /** Makes one attempt. Throws ClientError. */
  sendRaw(raw: Uint8Array): Promise<void>
  /** Returns receipts in the order of the hashes; null for transactions not in a block. */
  receipts(hashes: readonly Hash[]): Promise<readonly (TransactionReceipt | null)[]>
  /** Returns true when at least one transaction is in a block or the node's pool. */
  knows(hashes: readonly Hash[]): Promise<boolean>
  /** Null for an unknown block. */
  transactionsAt(block: number): Promise<readonly AccountTransaction[] | null>
}

export interface AccountTransaction {
  readonly hash: Hash
  readonly nonce: bigint
}

export function createChainAccount(chain: ChainName, rpc: RpcClient, address: Address): ChainAccount {
  const answer = async (method: string, params: readonly unknown[], parse: (value: unknown, what: string) => bigint) => {
    const value = await rpc.call(method, params)
    return verified(rpc.host, () => parse(value, method))
  }
  const quantity = (method: string, params: readonly unknown[]) => answer(method, params, parseQuantity)
  return {
    chain,
    address,
    chainId: () => quantity('eth_chainId', []),
    balanceWei: () => quantity('eth_getBalance', [address, 'latest']),
    nonce: (at) => answer('eth_getTransactionCount', [address, typeof at === 'number' ? formatQuantity(at) : at], parseNonce),
    headNumber: async () => Number(await answer('eth_blockNumber', [], (value, what) => BigInt(parseQuantityNumber(value, what)))),
    async finalizedNumber() {
      try {
        const block = await rpc.call('eth_getBlockByNumber', ['finalized', false])
        return block === null ? null : verified(rpc.host, () => parseBlockNumber(block, 'finalized block'))
      } catch (error) {
        if (isUnknownBlock(error)) return null
        throw error
      }
    },
    async feeQuote(withBlobs) {
      const head = await rpc.call('eth_getBlockByNumber', ['latest', false])
      const baseFeeWei = verified(rpc.host, () => parsePrice(parseJsonObject(head, 'latest block').baseFeePerGas, 'baseFeePerGas'))
      const tipWei = await answer('eth_maxPriorityFeePerGas', [], parsePrice)
      const blobBaseFeeWei = withBlobs ? await answer('eth_blobBaseFee', [], parsePrice) : null
      return { baseFeeWei, tipWei, blobBaseFeeWei }
    },
    async estimateGas(request) {
      const blobs =
        request.blobVersionedHashes.length === 0
          ? {}
          : {
              blobVersionedHashes: request.blobVersionedHashes.map(bytesToHex),
              maxFeePerBlobGas: formatQuantity(request.maxFeePerBlobGasWei ?? 0n),
            }
      const call = { from: address, to: request.to, data: bytesToHex(request.data), value: formatQuantity(request.valueWei), ...blobs }
      try {
        return await answer('eth_estimateGas', [call], parseGas)
      } catch (error) {
        throw estimateError(error, request.to)
      }
    },
    async sendRaw(raw) {
      await rpc.call('eth_sendRawTransaction', [bytesToHex(raw)], { retry: false })
    },
    async receipts(hashes) {
      const outcomes = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })))
      return outcomes.map((outcome, i) => {
        if (!outcome.ok) throw outcome.error
        const sealed = sealedOrNull(outcome.result)
        return sealed === null ? null : verified(rpc.host, () => parseReceipt(sealed, hashes[i]))
      })
    },
    async knows(hashes) {
      const outcomes = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })))
      return outcomes.some((outcome) => {
        if (!outcome.ok) throw outcome.error
        return outcome.result !== null
      })
    },
    async transactionsAt(block) {
      const answer = await rpc.call('eth_getBlockByNumber', [formatQuantity(block), true])
      return answer === null ? null : verified(rpc.host, () => parseOwnTransactions(answer, address))
    },
  }
}

function estimateError(error: unknown, to: Address | null): unknown {
  if (!(error instanceof RpcResponseError) || error.severity === 'temporary') return error
  if (/insufficient funds|insufficient balance/i.test(error.text)) {
    return new ClientError(
      'client/insufficient-funds',
      'temporary',
      `the account cannot pay for the transaction: ${error.text}`,
      {},
      { cause: error },
    )
  }
  const data = typeof error.data === 'string' ? error.data.slice(0, 200) : null
  return new ClientError(
    'client/transaction-reverts',
    'temporary',
    `the transaction to ${to ?? 'a new contract'} would fail: ${error.text}`,
    { to, data },
    { cause: error },
  )
}

function parseBlockNumber(block: unknown, what: string): number {
  return parseQuantityNumber(parseJsonObject(block, what).number, `${what}.number`)
}

function parseOwnTransactions(block: unknown, account: Address): readonly AccountTransaction[] {
  const all = parseJsonArray(parseJsonObject(block, 'block').transactions, 'transactions', (item, what) => {
    const o = parseJsonObject(item, what)
    return {
      from: parseAddress(o.from, `${what}.from`),
      nonce: parseQuantity(o.nonce, `${what}.nonce`),
      hash: parseHash(o.hash, `${what}.hash`),
    }
  })
  return all.filter(({ from }) => from === account).map(({ hash, nonce }) => ({ hash, nonce }))
}

/** EIP-2681: the last nonce of an account is 2^64-2. */
function parseNonce(value: unknown, what: string): bigint {
  return atMost(2n ** 64n - 2n, parseQuantity(value, what), what)
}

/** No price of a unit of gas needs 128 bits, and those beyond do not fit the fields of a transaction once they are multiplied. */
function parsePrice(value: unknown, what: string): bigint {
  return atMost(2n ** 128n - 1n, parseQuantity(value, what), what)
}

function parseGas(value: unknown, what: string): bigint {
  return atMost(2n ** 63n - 1n, parseQuantity(value, what), what)
}

function atMost(most: bigint, value: bigint, what: string): bigint {
  if (value <= most) return value
  throw new CodecError(
    'codec/number',
    `${what}: ${formatQuantity(value)} is more than a chain can have, expected at most ${formatQuantity(most)}`,
  )
}

function parseReceipt(value: unknown, asked: Hash | undefined): TransactionReceipt {
  const o = parseJsonObject(value, 'receipt')
  return {
    transactionHash: parseReceiptHash(o, asked),
    blockHash: parseHash(o.blockHash, 'blockHash'),
    blockNumber: parseQuantityNumber(o.blockNumber, 'blockNumber'),
    succeeded: parseQuantity(o.status, 'status') === 1n,
    gasUsed: parseGas(o.gasUsed, 'gasUsed'),
    effectiveGasPriceWei: parsePrice(o.effectiveGasPrice, 'effectiveGasPrice'),
    blobGasUsed: parseOptional(o.blobGasUsed, 'blobGasUsed', parseGas) ?? 0n,
    blobGasPriceWei: parseOptional(o.blobGasPrice, 'blobGasPrice', parsePrice) ?? 0n,
  }
}
