import type { Address, Brand, Bytes32, Hash } from '../hex.ts'

export interface BlockId {
  readonly hash: Hash
  readonly number: number
}

/** Unix seconds of the L1 block that carried the data. */
export type InclusionTimeSec = Brand<number, 'InclusionTimeSec'>
export type OriginTimeSec = Brand<number, 'OriginTimeSec'>
export type L2TimeSec = Brand<number, 'L2TimeSec'>

/** Convert this only with `inclusionTime` or `originTime`. */
export interface L1BlockRef extends BlockId {
  readonly parentHash: Hash
  readonly timestampSec: number
}

export interface L2BlockRef extends BlockId {
  readonly parentHash: Hash
  readonly timestampSec: L2TimeSec
  readonly l1Origin: BlockId
  /** Number of L2 blocks since the first with this L1 origin. */
  readonly sequenceNumber: number
}

/** Time of `block` as the block that carried batch data. */
export function inclusionTime(block: L1BlockRef): InclusionTimeSec {
  return block.timestampSec as InclusionTimeSec
}

/** Time of `block` as an L2 block's origin. */
export function originTime(block: L1BlockRef): OriginTimeSec {
  return block.timestampSec as OriginTimeSec
}

export function l2Time(timestampSec: number): L2TimeSec {
  return timestampSec as L2TimeSec
}

/** Chain parameters on L1; a field is zero before its fork. specs: protocol/system-config.md */
export interface SystemConfig {
  readonly batcherAddress: Address
  /** Zero from Ecotone on. */
  readonly overhead: Bytes32
  /** Before Ecotone the Bedrock scalar; then version byte, blob base fee scalar and base fee scalar. */
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
  /** The L1 block that derivation reads. */
  readonly currentL1: L1BlockRef
  readonly headL1: L1BlockRef
  readonly safeL1: L1BlockRef
  readonly finalizedL1: L1BlockRef
  readonly unsafeL2: L2BlockRef
  readonly safeL2: L2BlockRef
  readonly finalizedL2: L2BlockRef
  /** Newest block derived from an incomplete span batch; at or above safe. */
  readonly pendingSafeL2: L2BlockRef
  /** Lowest unsafe block that waits for its ancestors. */
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

/** The consensus client's rollup_* (optimism_*) methods. */
export interface RollupApi {
  syncStatus(): Promise<SyncStatus>
  outputAtBlock(at: OutputBlockSelector): Promise<OutputAtBlock>
}

export function sameBlock(a: BlockId, b: BlockId): boolean {
  return a.hash === b.hash
}
