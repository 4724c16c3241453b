import type { Address, Hash, PayloadEnvelope } from '@keelson/primitives'

export interface L2Blocks {
  payload(at: number | Hash): Promise<PayloadEnvelope | null>
}

export interface L1Transaction {
  readonly to: Address
  readonly data: Uint8Array
  readonly blobs?: readonly Uint8Array[]
  readonly label?: string
  /** Called once the transaction is accepted. If `send` rejects without calling it, nothing is on L1. */
  readonly onPlaced?: () => void
}

export interface L1Receipt {
  readonly succeeded: boolean
  readonly blockNumber: number
  readonly transactionHash: Hash
}

export interface L1Sender {
  /** Resolves when mined deep enough; rejects when abandoned. */
  send(transaction: L1Transaction, signal?: AbortSignal): Promise<L1Receipt>
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<L1Receipt> }[]>
}

/** Limits on DA bytes (miner_setMaxDASize); null means no limit. */
export interface BlockLimits {
  setMaxDaSize(transactionBytes: number | null, blockBytes: number | null): Promise<void>
}

export interface L1FeeQuote {
  readonly baseFeeWei: bigint
  readonly tipWei: bigint
  readonly blobBaseFeeWei: bigint | null
}

export interface L1Prices {
  feeQuote(withBlobs: boolean): Promise<L1FeeQuote>
  headNumber?(): Promise<number>
}
