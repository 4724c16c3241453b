/** The SystemConfig contract. specs: protocol/system-config.md and the pages of Holocene, Isthmus and Jovian */
import type { Address, Hash } from '@keelson/primitives'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'

export const CONFIG_UPDATE_TOPIC: Hash = eventTopic('ConfigUpdate(uint256,uint8,bytes)')

export const CONFIG_UPDATE_TYPES = {
  batcher: 0,
  gasConfig: 1,
  gasLimit: 2,
  unsafeBlockSigner: 3,
  eip1559Params: 4,
  operatorFeeParams: 5,
  minBaseFee: 6,
  daFootprintGasScalar: 7,
} as const

/** Getters that return one word each. */
export const SYSTEM_CONFIG_GETTERS = {
  batcherHash: 'batcherHash()',
  scalar: 'scalar()',
  overhead: 'overhead()',
  gasLimit: 'gasLimit()',
  unsafeBlockSigner: 'unsafeBlockSigner()',
  owner: 'owner()',
  basefeeScalar: 'basefeeScalar()',
  blobbasefeeScalar: 'blobbasefeeScalar()',
  batchInbox: 'batchInbox()',
  optimismPortal: 'optimismPortal()',
  startBlock: 'startBlock()',
  eip1559Denominator: 'eip1559Denominator()',
  eip1559Elasticity: 'eip1559Elasticity()',
  operatorFeeScalar: 'operatorFeeScalar()',
  operatorFeeConstant: 'operatorFeeConstant()',
  minBaseFee: 'minBaseFee()',
  daFootprintGasScalar: 'daFootprintGasScalar()',
} as const

export function encodeSetBatcherHash(batcher: Address): Uint8Array {
  return encodeCall('setBatcherHash(bytes32)', [`0x${batcher.slice(2).padStart(64, '0')}`])
}

export function encodeSetGasLimit(gasLimit: bigint): Uint8Array {
  return encodeCall('setGasLimit(uint64)', [gasLimit])
}

/** Scalars in millionths. */
export function encodeSetGasConfigEcotone(baseFeeScalar: bigint, blobBaseFeeScalar: bigint): Uint8Array {
  return encodeCall('setGasConfigEcotone(uint32,uint32)', [baseFeeScalar, blobBaseFeeScalar])
}

/** Neither may be zero. */
export function encodeSetEip1559Params(denominator: number, elasticity: number): Uint8Array {
  return encodeCall('setEIP1559Params(uint32,uint32)', [BigInt(denominator), BigInt(elasticity)])
}

/** `scalar` applies per gas, `constantWei` per transaction. */
export function encodeSetOperatorFeeScalars(scalar: number, constantWei: bigint): Uint8Array {
  return encodeCall('setOperatorFeeScalars(uint32,uint64)', [BigInt(scalar), constantWei])
}

export function encodeSetMinBaseFee(minBaseFeeWei: bigint): Uint8Array {
  return encodeCall('setMinBaseFee(uint64)', [minBaseFeeWei])
}

/** Zero means the default. */
export function encodeSetDaFootprintGasScalar(scalar: number): Uint8Array {
  return encodeCall('setDAFootprintGasScalar(uint16)', [BigInt(scalar)])
}
