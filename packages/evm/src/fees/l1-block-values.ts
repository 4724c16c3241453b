/** specs: jovian/exec-engine.md#scalar-loading */
import type { BlockRules } from '@keelson/chainspec'
import { type Bytes32, bigintToBytes, bytesToBigint, bytesToNumber, hexToBytes, L1_BLOCK } from '@keelson/primitives'

export interface L1BlockValues {
  readonly baseFeeWei: bigint
  readonly blobBaseFeeWei: bigint
  readonly baseFeeScalar: number
  readonly blobBaseFeeScalar: number
  readonly overhead: bigint
  readonly scalar: bigint
  readonly operatorFeeScalar: number
  readonly operatorFeeConstant: bigint
  readonly daFootprintGasScalar: number
}

export const NO_L1_BLOCK_VALUES: L1BlockValues = {
  baseFeeWei: 0n,
  blobBaseFeeWei: 0n,
  baseFeeScalar: 0,
  blobBaseFeeScalar: 0,
  overhead: 0n,
  scalar: 0n,
  operatorFeeScalar: 0,
  operatorFeeConstant: 0n,
  daFootprintGasScalar: 0,
}

const ZERO_WORD: Bytes32 = new Uint8Array(32)
const slot = (index: bigint): Bytes32 => bigintToBytes(index, 32)
const BASE_FEE_SLOT = slot(1n)
const SCALARS_SLOT = slot(3n)
const OVERHEAD_SLOT = slot(5n)
const SCALAR_SLOT = slot(6n)
const BLOB_BASE_FEE_SLOT = slot(7n)
const OPERATOR_FEE_SLOT = slot(8n)
const L1_BLOCK_BYTES = hexToBytes(L1_BLOCK)

/** A witness holds only required slots. */
export function readL1BlockValues(storage: (address: Uint8Array, slot: Bytes32) => Bytes32, rules: BlockRules): L1BlockValues {
  const read = (key: Bytes32) => storage(L1_BLOCK_BYTES, key)
  const packed = rules.l1Cost === 'calldata-packed' || rules.l1Cost === 'fastlz'
  const scalars = packed ? read(SCALARS_SLOT) : ZERO_WORD
  const operator = rules.operatorFee !== null || rules.daFootprint ? read(OPERATOR_FEE_SLOT) : ZERO_WORD
  const values: L1BlockValues = {
    ...NO_L1_BLOCK_VALUES,
    baseFeeWei: bytesToBigint(read(BASE_FEE_SLOT)),
    blobBaseFeeWei: packed ? bytesToBigint(read(BLOB_BASE_FEE_SLOT)) : 0n,
    baseFeeScalar: bytesToNumber(scalars.subarray(16, 20)),
    blobBaseFeeScalar: bytesToNumber(scalars.subarray(20, 24)),
    operatorFeeScalar: bytesToNumber(operator.subarray(20, 24)),
    operatorFeeConstant: bytesToBigint(operator.subarray(24, 32)),
    daFootprintGasScalar: bytesToNumber(operator.subarray(18, 20)),
  }
  if (packed && !hasNoPackedScalars(values)) return values
  return { ...values, overhead: bytesToBigint(read(OVERHEAD_SLOT)), scalar: bytesToBigint(read(SCALAR_SLOT)) }
}

/** True in the first block of Ecotone. */
export function hasNoPackedScalars(values: L1BlockValues): boolean {
  return values.blobBaseFeeWei === 0n && values.baseFeeScalar === 0 && values.blobBaseFeeScalar === 0
}
