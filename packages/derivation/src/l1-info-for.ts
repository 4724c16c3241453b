/** protocol/deposits.md#l1-attributes-deposited-transaction-calldata */
import type { L1InfoFormat } from '@keelson/chainspec'
import type { Hash, Header, SystemConfig } from '@keelson/primitives'
import { decodeFeeScalars } from './codec/l1/fee-scalars.ts'
import type { L1Info } from './codec/l1/l1-info.ts'
import { DerivationError } from './errors.ts'

/** Used if the SystemConfig contract never set the scalar. jovian/l1-attributes.md */
const DEFAULT_DA_FOOTPRINT_GAS_SCALAR = 400

export interface L1InfoSource {
  readonly header: Header
  readonly hash: Hash
  readonly sequenceNumber: number
  readonly blobBaseFeeWei: bigint
}

/** Throws DerivationError `derivation/config` for an unknown scalar version. */
export function l1InfoFor(format: L1InfoFormat, config: SystemConfig, source: L1InfoSource): L1Info {
  const scalars = decodeFeeScalars(config.scalar)
  if (scalars === null) {
    throw new DerivationError('derivation/config', 'critical', `fee scalar version ${config.scalar[0]} is not known`, {
      l1Origin: source.hash,
    })
  }
  return {
    format,
    number: source.header.number,
    timestampSec: source.header.timestampSec,
    baseFeeWei: source.header.baseFeeWei ?? 0n,
    hash: source.hash,
    sequenceNumber: source.sequenceNumber,
    batcherAddress: config.batcherAddress,
    overhead: config.overhead,
    scalar: config.scalar,
    baseFeeScalar: scalars.baseFeeScalar,
    blobBaseFeeScalar: scalars.blobBaseFeeScalar,
    blobBaseFeeWei: source.blobBaseFeeWei,
    operatorFeeScalar: config.operatorFeeScalar,
    operatorFeeConstant: config.operatorFeeConstant,
    daFootprintGasScalar: config.daFootprintGasScalar === 0 ? DEFAULT_DA_FOOTPRINT_GAS_SCALAR : config.daFootprintGasScalar,
  }
}
