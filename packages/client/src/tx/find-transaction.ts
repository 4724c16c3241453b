import {
  type Address,
  type Hash,
  type Log,
  parseAddress,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseLogJson,
  parseQuantity,
  parseQuantityNumber,
} from '@keelson/primitives'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'
import { parseReceiptHash } from './receipt-hash.ts'
import { sealedOrNull } from './sealed-receipt.ts'

export interface LoggedReceipt {
  readonly transactionHash: Hash
  readonly block: { readonly number: number; readonly hash: Hash }
  readonly from: Address
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** `index` is the log's position in the block. */
  readonly logs: readonly { readonly log: Log; readonly index: number }[]
}

/** Returns null when the transaction is not in a block. Of the answer, only the hash is verified. Throws ClientError. */
export async function findLoggedReceipt(rpc: RpcClient, hash: Hash): Promise<LoggedReceipt | null> {
  const answer = sealedOrNull(await rpc.call('eth_getTransactionReceipt', [hash]))
  return answer === null ? null : verified(rpc.host, () => parseLoggedReceipt(answer, hash))
}

export async function isKnownTransaction(rpc: RpcClient, hash: Hash): Promise<boolean> {
  return (await rpc.call('eth_getTransactionByHash', [hash])) !== null
}

function parseLoggedReceipt(value: unknown, asked: Hash): LoggedReceipt {
  const o = parseJsonObject(value, 'receipt')
  return {
    transactionHash: parseReceiptHash(o, asked),
    block: { number: parseQuantityNumber(o.blockNumber, 'blockNumber'), hash: parseHash(o.blockHash, 'blockHash') },
    from: parseAddress(o.from, 'from'),
    succeeded: parseQuantity(o.status, 'status') === 1n,
    gasUsed: parseQuantity(o.gasUsed, 'gasUsed'),
    logs: parseJsonArray(o.logs, 'logs', (item, what) => ({
      log: parseLogJson(item, what),
      index: parseQuantityNumber(parseJsonObject(item, what).logIndex, `${what}.logIndex`),
    })),
  }
}
