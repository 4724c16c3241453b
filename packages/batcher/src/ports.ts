import type { Address, Hash, PayloadEnvelope } from '@keelson/primitives'

/** Blocks of the sequencer's execution client. */
export interface L2Blocks {
  /** Returns null for an unknown block. */
  payload(at: number | Hash): Promise<PayloadEnvelope | null>
}

export interface L1Transaction {
  readonly to: Address
  readonly data: Uint8Array
  /** Blobs of 131,072 bytes each. */
  readonly blobs?: readonly Uint8Array[]
  /** Stored by the sender and returned after a restart. */
  readonly label?: string
  /** Called once accepted. If `send` rejects before, nothing is on L1. */
  readonly onPlaced?: () => void
}

export interface L1Receipt {
  readonly succeeded: boolean
  readonly blockNumber: number
  readonly transactionHash: Hash
}

/** The batcher account. Transactions are sent in call order. */
export interface L1Sender {
  /** Resolves when mined deep enough; rejects when abandoned. */
  send(transaction: L1Transaction, signal?: AbortSignal): Promise<L1Receipt>
  /** Unsettled transactions of an earlier run. */
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<L1Receipt> }[]>
}

/** Limits on DA bytes (miner_setMaxDASize); null is no limit. */
export interface BlockLimits {
  setMaxDaSize(transactionBytes: number | null, blockBytes: number | null): Promise<void>
}

export interface L1FeeQuote {
  readonly baseFeeWei: bigint
  readonly tipWei: bigint
  /** Null where L1 has no blobs. */
  readonly blobBaseFeeWei: bigint | null
}

export interface L1Prices {
  feeQuote(withBlobs: boolean): Promise<L1FeeQuote>
  /** May be ahead of the consensus client's head. */
  headNumber?(): Promise<number>
}
