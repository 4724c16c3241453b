/** One transaction by its hash: where it stands, what came of it and which logs it left, on L1 or L2. */
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

export interface LoggedReceipt {
  readonly transactionHash: Hash
  readonly block: { readonly number: number; readonly hash: Hash }
  readonly from: Address
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** `index` counts over all logs of the block. */
  readonly logs: readonly { readonly log: Log; readonly index: number }[]
}

/** Null when it is in no block. Taken from the node on trust. Throws ClientError. */
export async function findLoggedReceipt(rpc: RpcClient, hash: Hash): Promise<LoggedReceipt | null> {
  const answer = await rpc.call('eth_getTransactionReceipt', [hash])
  return answer === null ? null : verified(rpc.host, () => parseLoggedReceipt(answer))
}

/** In a block or waiting in the node's pool? Throws ClientError. */
export async function isKnownTransaction(rpc: RpcClient, hash: Hash): Promise<boolean> {
  return (await rpc.call('eth_getTransactionByHash', [hash])) !== null
}

/** Throws CodecError. */
function parseLoggedReceipt(value: unknown): LoggedReceipt {
  const o = parseJsonObject(value, 'receipt')
  return {
    transactionHash: parseHash(o.transactionHash, 'transactionHash'),
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
