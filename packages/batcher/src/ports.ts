/** What the batcher asks of the world. The client package satisfies all of it. */
import type { Address, Hash, PayloadEnvelope } from '@keelson/primitives'

/** Blocks of the sequencer's execution client. */
export interface L2Blocks {
  /** Null when there is no such block (yet). */
  payload(at: number | Hash): Promise<PayloadEnvelope | null>
}

export interface L1Transaction {
  readonly to: Address
  readonly data: Uint8Array
  /** Of 131,072 bytes each; makes it a blob transaction. */
  readonly blobs?: readonly Uint8Array[]
  /** Kept by the sender and given back after a restart. */
  readonly label?: string
  /** Called once it is on its way. A `send` that rejects before has left nothing on L1. */
  readonly onPlaced?: () => void
}

export interface L1Receipt {
  readonly succeeded: boolean
  readonly blockNumber: number
  readonly transactionHash: Hash
}

/** The account whose transactions the rollup accepts as batches. Transactions are placed in the order of the calls. */
export interface L1Sender {
  /** Resolves when mined deep enough; rejects when it was given up. */
  send(transaction: L1Transaction, signal?: AbortSignal): Promise<L1Receipt>
  /** What an earlier run sent and has not settled. */
  recover(): Promise<readonly { readonly label: string; readonly receipt: Promise<L1Receipt> }[]>
}

/** How much of L1's space the sequencer's pool transactions may take (miner_setMaxDASize); null is no limit. */
export interface BlockLimits {
  setMaxDaSize(transactionBytes: number | null, blockBytes: number | null): Promise<void>
}

export interface L1FeeQuote {
  readonly baseFeeWei: bigint
  readonly tipWei: bigint
  /** Null where there is none. */
  readonly blobBaseFeeWei: bigint | null
}

export interface L1Prices {
  /** Asked for only when the carrier is chosen by price. */
  feeQuote(withBlobs: boolean): Promise<L1FeeQuote>
  /** Of the L1 that transactions are sent to, which may be ahead of the one the consensus client reads. */
  headNumber?(): Promise<number>
}
