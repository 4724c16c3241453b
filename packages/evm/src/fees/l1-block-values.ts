/**
 * Fee parameters that the L1 info deposit writes into the L1Block contract.
 * specs: protocol/exec-engine.md#ecotone-l1-cost-fee-changes, isthmus/exec-engine.md#operator-fee, jovian/exec-engine.md#scalar-loading
 */
import { type Bytes32, bigintToBytes, bytesToBigint, bytesToNumber, hexToBytes, L1_BLOCK } from '@keelson/primitives'

export interface L1BlockValues {
  readonly baseFeeWei: bigint
  readonly blobBaseFeeWei: bigint
  readonly baseFeeScalar: number
  readonly blobBaseFeeScalar: number
  /** Bedrock parameters; zero on chains that began with Ecotone. */
  readonly overhead: bigint
  readonly scalar: bigint
  readonly operatorFeeScalar: number
  readonly operatorFeeConstant: bigint
  readonly daFootprintGasScalar: number
}

const slot = (index: bigint): Bytes32 => bigintToBytes(index, 32)
const BASE_FEE_SLOT = slot(1n)
const SCALARS_SLOT = slot(3n)
const OVERHEAD_SLOT = slot(5n)
const SCALAR_SLOT = slot(6n)
const BLOB_BASE_FEE_SLOT = slot(7n)
const OPERATOR_FEE_SLOT = slot(8n)
const L1_BLOCK_BYTES = hexToBytes(L1_BLOCK)

/** `storage` reads the state after the block's first deposit: a session, or a view of the block itself. */
export function readL1BlockValues(storage: (address: Uint8Array, slot: Bytes32) => Bytes32): L1BlockValues {
  const read = (key: Bytes32) => storage(L1_BLOCK_BYTES, key)
  const scalars = read(SCALARS_SLOT)
  const operator = read(OPERATOR_FEE_SLOT)
  return {
    baseFeeWei: bytesToBigint(read(BASE_FEE_SLOT)),
    blobBaseFeeWei: bytesToBigint(read(BLOB_BASE_FEE_SLOT)),
    baseFeeScalar: bytesToNumber(scalars.subarray(16, 20)),
    blobBaseFeeScalar: bytesToNumber(scalars.subarray(20, 24)),
    overhead: bytesToBigint(read(OVERHEAD_SLOT)),
    scalar: bytesToBigint(read(SCALAR_SLOT)),
    operatorFeeScalar: bytesToNumber(operator.subarray(20, 24)),
    operatorFeeConstant: bytesToBigint(operator.subarray(24, 32)),
    daFootprintGasScalar: bytesToNumber(operator.subarray(18, 20)),
  }
}
