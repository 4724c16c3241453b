import type { Address, Hash, Hex, L1BlockRef } from '@keelson/primitives'
import type { BridgeSenders } from '../../bridge/deposit-facts.ts'
import type { FollowedBlock } from '../follow/follower.ts'

export interface L1Frame {
  readonly channel: Hex
  readonly number: number
  readonly isLast: boolean
  readonly data: Uint8Array
}

/** A transaction of a batcher. */
export interface L1Batch {
  readonly position: number
  readonly hash: Hash
  readonly sender: Address
  readonly blobs: number
  /** Length of the call data or of the decoded blobs. */
  readonly bytes: number
  /** False when its blobs are no longer available. */
  readonly readable: boolean
  readonly frames: readonly L1Frame[]
}

export interface L1Deposit {
  readonly logPosition: number
  readonly l1Transaction: Hash
  readonly l2Transaction: Hash
  /** Who sent the L1 transaction. */
  readonly initiator: Address
  /** As L2 sees the sender: a contract's address is aliased. */
  readonly sender: Address
  readonly recipient: Address | null
  readonly mintWei: bigint
  readonly valueWei: bigint
  /** Sender and recipient of a message that the L1 messenger sent. For a transfer of the bridge: the payer and the payee. */
  readonly transfer: { readonly from: Address; readonly to: Address } | null
  /** Null for a deposit that the L1 messenger did not send. */
  readonly messageHash: Hash | null
}

export interface L1IndexBlock extends FollowedBlock {
  readonly timeSec: number
  readonly batches: readonly L1Batch[]
  readonly deposits: readonly L1Deposit[]
}

/** What a channel carries. */
export interface ChannelContent {
  /** Null when no batch can be read. */
  readonly firstBlock: number | null
  readonly lastBlock: number | null
  readonly batches: number
  /** Why reading ended early. */
  readonly problem: string | null
}

export interface L1Rollup {
  readonly inbox: Address
  readonly portal: Address
  /** Transactions of others are ignored. */
  readonly batchers: ReadonlySet<Address>
  /** Deposits that other contracts send are plain calls. */
  readonly senders: BridgeSenders
  /** Bounds how long a channel may stay open. */
  readonly channelTimeoutBlocks: number
  /** `block` is where its last frame is. */
  readChannel(data: Uint8Array, block: L1BlockRef): ChannelContent
}
