import { rpcAll } from './rpc.ts'

export interface TransactionJson {
  readonly hash: string
  readonly type: string
  readonly blockNumber: string | null
  readonly transactionIndex: string | null
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly nonce: string
  readonly gas: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly input: string
  readonly sourceHash?: string
  readonly mint?: string
}

export interface LogJson {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
}

/** The fields of fees are absent from deposits and from forks that lack them. */
export interface ReceiptJson {
  readonly blockHash: string
  readonly blockNumber: string
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly logs: readonly LogJson[]
  readonly l1Fee?: string
  readonly l1GasUsed?: string
  readonly l1GasPrice?: string
  readonly l1BaseFeeScalar?: string
  readonly l1BlobBaseFee?: string
  readonly l1BlobBaseFeeScalar?: string
  readonly operatorFeeScalar?: string
  readonly operatorFeeConstant?: string
  readonly daFootprintGasScalar?: string
  readonly depositNonce?: string
}

export interface TransactionDetails {
  /** Null if the node does not know the transaction. */
  readonly transaction: TransactionJson | null
  /** Null until a block includes it. */
  readonly receipt: ReceiptJson | null
}

export async function fetchTransaction(hash: string): Promise<TransactionDetails> {
  const [transaction, receipt] = await rpcAll([
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ])
  return { transaction: transaction as TransactionJson | null, receipt: receipt as ReceiptJson | null }
}
