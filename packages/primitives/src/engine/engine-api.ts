/**
 * The engine API, independent of transport and method versions. execution-apis src/engine; OP fields: specs
 * protocol/exec-engine.md#engine-api
 */
import type { Withdrawal } from '../block/block.ts'
import { NodeError } from '../errors.ts'
import type { Address, Brand, Hash, Hex } from '../hex.ts'

/** 8 bytes; the first is the attributes' version. */
export type PayloadId = Brand<Hex, 'PayloadId'>

export interface PayloadAttributes {
  readonly timestampSec: number
  readonly prevRandao: Hash
  readonly feeRecipient: Address
  /** Empty from Canyon (Shanghai), null before. L1 chains list real withdrawals. */
  readonly withdrawals: readonly Withdrawal[] | null
  /** Null before Ecotone (Cancun). */
  readonly parentBeaconBlockRoot: Hash | null
  /** Transactions at the start of the block. */
  readonly transactions: readonly Uint8Array[]
  readonly noTxPool: boolean
  readonly gasLimit: bigint
  /** 8 bytes, denominator and elasticity as u32 each; null before Holocene. */
  readonly eip1559Params: Uint8Array | null
  /** Null before Jovian. */
  readonly minBaseFeeWei: bigint | null
}

export interface ExecutionPayload {
  readonly parentHash: Hash
  readonly feeRecipient: Address
  readonly stateRoot: Hash
  readonly receiptsRoot: Hash
  readonly logsBloom: Uint8Array
  readonly prevRandao: Hash
  readonly blockNumber: number
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly timestampSec: number
  readonly extraData: Uint8Array
  readonly baseFeeWei: bigint
  readonly blockHash: Hash
  readonly transactions: readonly Uint8Array[]
  readonly withdrawals: readonly Withdrawal[] | null
  readonly blobGasUsed: bigint | null
  readonly excessBlobGas: bigint | null
  /** From Isthmus on, the storage root of the L2ToL1MessagePasser. */
  readonly withdrawalsRoot: Hash | null
}

/** A payload and the parent beacon block root, which the block hash covers but the payload lacks. */
export interface PayloadEnvelope {
  readonly payload: ExecutionPayload
  /** Null before Ecotone. */
  readonly parentBeaconBlockRoot: Hash | null
}

export interface ForkchoiceState {
  readonly head: Hash
  /** ZERO_HASH when unknown. */
  readonly safe: Hash
  readonly finalized: Hash
}

export type PayloadStatus =
  | { readonly status: 'VALID'; readonly latestValidHash: Hash }
  | { readonly status: 'INVALID'; readonly latestValidHash: Hash | null; readonly reason: string }
  | { readonly status: 'SYNCING' | 'ACCEPTED' }

export interface ForkchoiceResult {
  readonly status: PayloadStatus
  readonly payloadId: PayloadId | null
}

export interface BuiltPayload extends PayloadEnvelope {
  readonly blockValueWei: bigint
}

/** Throws EngineApiError; transport failures have severity 'temporary'. */
export interface EngineApi {
  forkchoiceUpdated(state: ForkchoiceState, attributes: PayloadAttributes | null): Promise<ForkchoiceResult>
  /** Ends building and returns the sealed block. */
  getPayload(id: PayloadId): Promise<BuiltPayload>
  newPayload(payload: ExecutionPayload, parentBeaconBlockRoot: Hash | null): Promise<PayloadStatus>
}

export type EngineApiErrorCode =
  | 'engine/unknown-payload'
  | 'engine/invalid-forkchoice'
  | 'engine/invalid-attributes'
  | 'engine/too-large-request'
  | 'engine/unsupported-fork'

/** execution-apis src/engine/common.md#errors */
export const ENGINE_ERROR_NUMBERS: Readonly<Record<EngineApiErrorCode, number>> = {
  'engine/unknown-payload': -38001,
  'engine/invalid-forkchoice': -38002,
  'engine/invalid-attributes': -38003,
  'engine/too-large-request': -38004,
  'engine/unsupported-fork': -38005,
}

export class EngineApiError extends NodeError<EngineApiErrorCode> {}
