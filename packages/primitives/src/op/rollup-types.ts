/** References to blocks and the rollup's configuration on L1, as derivation, sequencer and RPC share them. */
import type { Address, Brand, Bytes32, Hash } from '../hex.ts'

export interface BlockId {
  readonly hash: Hash
  readonly number: number
}

/** Seconds since the Unix epoch, read from the header of the L1 block that carried the data. */
export type InclusionTimeSec = Brand<number, 'InclusionTimeSec'>
/** Seconds since the Unix epoch, read from the header of a batch's L1 origin. */
export type OriginTimeSec = Brand<number, 'OriginTimeSec'>
/** Seconds since the Unix epoch, read from an L2 header. */
export type L2TimeSec = Brand<number, 'L2TimeSec'>

/**
 * An L1 block. Its time serves as InclusionTimeSec or OriginTimeSec by the role the block plays:
 * see `inclusionTime` and `originTime`, the only two places that decide it.
 */
export interface L1BlockRef extends BlockId {
  readonly parentHash: Hash
  readonly timestampSec: number
}

export interface L2BlockRef extends BlockId {
  readonly parentHash: Hash
  readonly timestampSec: L2TimeSec
  readonly l1Origin: BlockId
  /** Distance to the first L2 block of this L1 origin. */
  readonly sequenceNumber: number
}

/** The time of `block` in its role as the carrier of batch data. */
export function inclusionTime(block: L1BlockRef): InclusionTimeSec {
  return block.timestampSec as InclusionTimeSec
}

/** The time of `block` in its role as an L2 block's origin. */
export function originTime(block: L1BlockRef): OriginTimeSec {
  return block.timestampSec as OriginTimeSec
}

export function l2Time(timestampSec: number): L2TimeSec {
  return timestampSec as L2TimeSec
}

/**
 * Parameters of the chain kept in a contract on L1. specs: protocol/system-config.md
 * Fields later than the chain's fork hold their neutral value (zero).
 */
export interface SystemConfig {
  readonly batcherAddress: Address
  /** Bedrock and Regolith only; zero from Ecotone. */
  readonly overhead: Bytes32
  /** 32 bytes: the Bedrock scalar, or from Ecotone version byte, blob base fee scalar and base fee scalar. */
  readonly scalar: Bytes32
  readonly gasLimit: bigint
  /** 8 bytes: denominator u32, elasticity u32; all zero means the Canyon constants. */
  readonly eip1559Params: Uint8Array
  readonly operatorFeeScalar: number
  readonly operatorFeeConstant: bigint
  readonly minBaseFeeWei: bigint
  /** Zero means the default of 400. */
  readonly daFootprintGasScalar: number
}

export interface SyncStatus {
  /** L1 block derivation stands at. */
  readonly currentL1: L1BlockRef
  readonly headL1: L1BlockRef
  readonly safeL1: L1BlockRef
  readonly finalizedL1: L1BlockRef
  readonly unsafeL2: L2BlockRef
  readonly safeL2: L2BlockRef
  readonly finalizedL2: L2BlockRef
  /** Derived, but of a span batch that is not concluded yet: at or above safe. */
  readonly pendingSafeL2: L2BlockRef
  /** The lowest block that waits for those before it; null when none does. */
  readonly queuedUnsafeL2: L2BlockRef | null
}

export interface OutputAtBlock {
  readonly outputRoot: Hash
  readonly stateRoot: Hash
  /** Storage root of the L2ToL1MessagePasser. */
  readonly withdrawalStorageRoot: Hash
  readonly block: L2BlockRef
  readonly syncStatus: SyncStatus
}

export type OutputBlockSelector = number | 'unsafe' | 'safe' | 'finalized'

/** The consensus client as batcher, proposer and services see it; rollup_* (optimism_*) on the wire. */
export interface RollupApi {
  syncStatus(): Promise<SyncStatus>
  outputAtBlock(at: OutputBlockSelector): Promise<OutputAtBlock>
}

/** Is `a` the same block as `b`? */
export function sameBlock(a: BlockId, b: BlockId): boolean {
  return a.hash === b.hash
}
