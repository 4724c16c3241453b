/** protocol/holocene/exec-engine.md#dynamic-eip-1559-parameters, jovian/exec-engine.md */
import { ByteReader } from './bytes/byte-reader.ts'

export interface HeaderFeeParameters {
  /** Denominator u32, elasticity u32. */
  readonly eip1559Params: Uint8Array
  /** Zero in version 0 (Holocene). */
  readonly minBaseFeeWei: bigint
}

/** Throws CodecError `codec/header`. */
export function decodeExtraData(extraData: Uint8Array): HeaderFeeParameters {
  const reader = new ByteReader(extraData, 'codec/header')
  const version = reader.byte('extraData version')
  if (version > 1) reader.fail(`extraData version ${version} is not known`)
  const eip1559Params = reader.bytes(8, 'EIP-1559 parameters')
  const minBaseFeeWei = version === 1 ? reader.bigUint(8, 'minimum base fee') : 0n
  reader.expectEnd('extraData')
  return { eip1559Params, minBaseFeeWei }
}
