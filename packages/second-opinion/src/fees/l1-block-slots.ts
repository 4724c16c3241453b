/**
 * specs: protocol/exec-engine.md#ecotone-l1-cost-fee-changes, protocol/isthmus/exec-engine.md#operator-fee,
 * protocol/jovian/exec-engine.md
 */
import { bytesToBigInt, setLengthLeft } from '@ethereumjs/util'
import type { BlockRules } from '@keelson/chainspec'

export interface L1BlockSlots {
  readonly baseFee: bigint
  readonly blobBaseFee: bigint
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  readonly bedrockOverhead: bigint
  readonly bedrockScalar: bigint
  readonly operatorFeeScalar: bigint
  readonly operatorFeeConstant: bigint
  readonly daFootprintGasScalar: bigint
}

const BASE_FEE = 1
const SCALARS = 3
const OVERHEAD = 5
const SCALAR = 6
const BLOB_BASE_FEE = 7
const OPERATOR = 8

/** A witness holds only slots that the fork uses. */
export async function readL1BlockSlots(read: (slot: number) => Promise<Uint8Array>, rules: BlockRules): Promise<L1BlockSlots> {
  const word = async (slot: number, wanted: boolean) => setLengthLeft(wanted ? await read(slot) : new Uint8Array(0), 32)
  const number = (bytes: Uint8Array, from = 0, to = 32) => bytesToBigInt(bytes.subarray(from, to))
  const packed = rules.l1Cost === 'calldata-packed' || rules.l1Cost === 'fastlz'
  const scalars = await word(SCALARS, packed)
  const blobBaseFee = number(await word(BLOB_BASE_FEE, packed))
  const [baseFeeScalar, blobBaseFeeScalar] = [number(scalars, 16, 20), number(scalars, 20, 24)]
  const needsBedrock = !packed || (blobBaseFee === 0n && baseFeeScalar === 0n && blobBaseFeeScalar === 0n)
  const operator = await word(OPERATOR, rules.operatorFee !== null || rules.daFootprint)
  return {
    baseFee: number(await word(BASE_FEE, true)),
    blobBaseFee,
    baseFeeScalar,
    blobBaseFeeScalar,
    bedrockOverhead: number(await word(OVERHEAD, needsBedrock)),
    bedrockScalar: number(await word(SCALAR, needsBedrock)),
    operatorFeeScalar: number(operator, 20, 24),
    operatorFeeConstant: number(operator, 24, 32),
    daFootprintGasScalar: number(operator, 18, 20),
  }
}
