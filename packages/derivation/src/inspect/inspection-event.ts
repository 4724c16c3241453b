/** Plain objects, printable as lines of JSON. */
import type { Address, ErrorDetails, Hash } from '@keelson/primitives'
import type { ChannelId } from '../codec/channel/frame.ts'
import type { DropReason, StageName } from '../observer.ts'
import type { CompressionAlgorithm } from '../ports.ts'

export interface TransactionSeen {
  readonly kind: 'transaction'
  readonly l1Block: number
  readonly index: number
  readonly hash: Hash
  readonly from: Address | null
  readonly fromBatcher: boolean
  readonly type: number
  readonly carrier: 'calldata' | 'blobs'
  readonly blobs: number
  readonly bytes: number
  readonly frames: number
  readonly dropped: DropReason | null
  /** The reason, set when blobs are missing. */
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

/** Channels still open when the inspection ends have the state `open`. */
export interface ChannelEnded {
  readonly kind: 'channel'
  readonly l1Block: number
  readonly channel: ChannelId
  readonly state: 'complete' | 'dropped' | 'open'
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
  /** Number of the batch; verdicts refer to it. */
  readonly batch: number
  readonly l1Block: number
  readonly channel: ChannelId
  readonly type: 'singular' | 'span'
  readonly fromL2Block: number | null
  readonly l2Blocks: number
  readonly transactions: number
  readonly fromTimestamp: number
  readonly toTimestamp: number
  readonly fromEpoch: number
  readonly toEpoch: number
  /** For a span batch, only the first 20 bytes. */
  readonly parent: string
  readonly epochHash: string
}

/** A rule that cannot be checked, because the batch only claims its parent. */
export type UncheckedRule = 'parent-hash' | 'parent-epoch' | 'overlap'

export interface BatchJudged {
  readonly kind: 'verdict'
  readonly batch: number
  readonly l1Block: number
  readonly verdict: 'accept' | 'drop' | 'undecided' | 'past' | 'future'
  readonly reason: DropReason | null
  /** From Holocene: number of blocks before the first invalid one. */
  readonly acceptedBlocks: number
  readonly unchecked: readonly UncheckedRule[]
}

export interface DataDropped {
  readonly kind: 'drop'
  readonly l1Block: number
  readonly stage: StageName
  readonly reason: DropReason
  readonly details: ErrorDetails
}

export type InspectionEvent = TransactionSeen | FrameSeen | ChannelEnded | BatchSeen | BatchJudged | DataDropped
