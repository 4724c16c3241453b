/** SystemConfig on L1: the chain's parameters, announced as events. specs: protocol/system-config.md */
import type { Address, Hash } from '@keelson/primitives'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'

/** `ConfigUpdate(version, updateType, data)`, the first two indexed. */
export const CONFIG_UPDATE_TOPIC: Hash = eventTopic('ConfigUpdate(uint256,uint8,bytes)')

/** Values of `updateType`. The published contract of the development network emits the first four. */
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

/** Where the contract keeps the address whose signature gossiped blocks must bear; readable by eth_getStorageAt. */
export const UNSAFE_BLOCK_SIGNER_SLOT = '0x65a7ed542fb37fe237fdfbdd70b31598523fe5b32879e307bae27a0bd9581c08' as Hash

/** Getters without arguments; answers are one word each. */
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
} as const

/** Owner only. */
export function encodeSetBatcherHash(batcher: Address): Uint8Array {
  return encodeCall('setBatcherHash(bytes32)', [`0x${batcher.slice(2).padStart(64, '0')}`])
}

/** Owner only. */
export function encodeSetGasLimit(gasLimit: bigint): Uint8Array {
  return encodeCall('setGasLimit(uint64)', [gasLimit])
}

/** Owner only. Scalars in millionths. */
export function encodeSetGasConfigEcotone(baseFeeScalar: bigint, blobBaseFeeScalar: bigint): Uint8Array {
  return encodeCall('setGasConfigEcotone(uint32,uint32)', [baseFeeScalar, blobBaseFeeScalar])
}

/** Owner only. */
export function encodeSetUnsafeBlockSigner(signer: Address): Uint8Array {
  return encodeCall('setUnsafeBlockSigner(address)', [signer])
}
