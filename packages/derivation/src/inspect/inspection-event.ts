/** What an inspection of L1 data tells, one plain object a fact: each can be printed as a line of JSON. */
import type { Address, ErrorDetails, Hash } from '@keelson/primitives'
import type { ChannelId } from '../codec/frame.ts'
import type { DropReason, StageName } from '../observer.ts'
import type { CompressionAlgorithm } from '../ports.ts'

/** A transaction to the batch inbox. */
export interface TransactionSeen {
  readonly kind: 'transaction'
  readonly l1Block: number
  readonly index: number
  readonly hash: Hash
  /** Null when the signature is nobody's. */
  readonly from: Address | null
  readonly fromBatcher: boolean
  readonly type: number
  readonly carrier: 'calldata' | 'blobs'
  readonly blobs: number
  /** Of batcher data taken out of calldata or blobs. */
  readonly bytes: number
  readonly frames: number
  readonly dropped: DropReason | null
  /** Why its data could not be looked at: the blobs are not to be had. */
  readonly unreadable: string | null
}

export interface FrameSeen {
  readonly kind: 'frame'
  readonly l1Block: number
  readonly transaction: Hash
  readonly channel: ChannelId
  readonly number: number
  readonly bytes: number
  readonly last: boolean
  readonly dropped: DropReason | null
}

/** Told when a channel is read or given up, or at the end of the inspection while it is open. */
export interface ChannelEnded {
  readonly kind: 'channel'
  readonly l1Block: number
  readonly channel: ChannelId
  readonly state: 'complete' | 'dropped' | 'open'
  /** Why it was given up, or what of a complete one could not be read. */
  readonly reason: DropReason | null
  readonly openedAt: number
  readonly frames: number
  readonly compression: CompressionAlgorithm | null
  readonly compressedBytes: number
  readonly uncompressedBytes: number
  readonly batches: number
}

export interface BatchSeen {
  readonly kind: 'batch'
  /** Counts from 0 in an inspection; a verdict names it. */
  readonly batch: number
  readonly l1Block: number
  readonly channel: ChannelId
  readonly type: 'singular' | 'span'
  /** Where its timestamps are those of blocks. */
  readonly fromL2Block: number | null
  readonly l2Blocks: number
  readonly transactions: number
  readonly fromTimestamp: number
  readonly toTimestamp: number
  readonly fromEpoch: number
  readonly toEpoch: number
  /** First 20 bytes for a span. */
  readonly parent: string
  readonly epochHash: string
}

/** A rule that could not be looked at: the block before is known only by what the batch itself says of it. */
export type UncheckedRule = 'parent-hash' | 'parent-epoch' | 'overlap'

export interface BatchJudged {
  readonly kind: 'verdict'
  readonly batch: number
  /** The L1 block at which it was judged. */
  readonly l1Block: number
  readonly verdict: 'accept' | 'drop' | 'undecided' | 'past' | 'future'
  readonly reason: DropReason | null
  /** Of a span from Holocene on: blocks that hold before the first that does not. */
  readonly acceptedBlocks: number
  readonly unchecked: readonly UncheckedRule[]
}

/** Something dropped that has no line of its own to say so. */
export interface DataDropped {
  readonly kind: 'drop'
  readonly l1Block: number
  readonly stage: StageName
  readonly reason: DropReason
  readonly details: ErrorDetails
}

export type InspectionEvent = TransactionSeen | FrameSeen | ChannelEnded | BatchSeen | BatchJudged | DataDropped
