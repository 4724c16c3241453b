/** Payloads with a correct hash and L1 info. */
import { l1InfoDeposit } from '@keelson/derivation'
import {
  type BlockId,
  type ExecutionPayload,
  type Hash,
  type PayloadEnvelope,
  payloadHash,
  SEQUENCER_FEE_VAULT,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'

export interface PayloadRequest {
  readonly number: number
  readonly parentHash: Hash
  readonly timestampSec: number
  readonly l1Origin: BlockId
  readonly sequenceNumber: number
  readonly transactions?: readonly Uint8Array[]
  readonly version?: 1 | 2 | 3 | 4
  readonly change?: Partial<ExecutionPayload>
}

const STATE_ROOT = toHash(`0x${'5a'.repeat(32)}`)

export function makePayload(request: PayloadRequest): PayloadEnvelope {
  const version = request.version ?? 4
  const l1Info = l1InfoDeposit(
    {
      format: 'jovian',
      number: request.l1Origin.number,
      timestampSec: request.timestampSec,
      baseFeeWei: 7n,
      hash: request.l1Origin.hash,
      sequenceNumber: request.sequenceNumber,
      batcherAddress: ZERO_ADDRESS,
      overhead: new Uint8Array(32),
      scalar: new Uint8Array(32),
      baseFeeScalar: 1,
      blobBaseFeeScalar: 1,
      blobBaseFeeWei: 1n,
      operatorFeeScalar: 0,
      operatorFeeConstant: 0n,
      daFootprintGasScalar: 400,
    },
    true,
  )
  const payload: ExecutionPayload = {
    parentHash: request.parentHash,
    feeRecipient: SEQUENCER_FEE_VAULT,
    stateRoot: STATE_ROOT,
    receiptsRoot: ZERO_HASH,
    logsBloom: new Uint8Array(256),
    prevRandao: ZERO_HASH,
    blockNumber: request.number,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    timestampSec: request.timestampSec,
    extraData: Uint8Array.of(1, 0, 0, 0, 250, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0),
    baseFeeWei: 1_000_000_000n,
    blockHash: ZERO_HASH,
    transactions: [l1Info.raw, ...(request.transactions ?? [])],
    withdrawals: version >= 2 ? [] : null,
    blobGasUsed: version >= 3 ? 0n : null,
    excessBlobGas: version >= 3 ? 0n : null,
    withdrawalsRoot: version >= 4 ? STATE_ROOT : null,
    ...request.change,
  }
  const parentBeaconBlockRoot = version >= 3 ? ZERO_HASH : null
  return { payload: { ...payload, blockHash: payloadHash(payload, parentBeaconBlockRoot) }, parentBeaconBlockRoot }
}
