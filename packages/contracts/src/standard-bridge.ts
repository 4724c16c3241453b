/** L1StandardBridge: native value from L1 to L2 through the messengers. specs: protocol/bridges.md */
import type { Address } from '@keelson/primitives'
import { encodeCall } from './abi/abi-encode.ts'

/** To the sender's own address on L2; the wei sent along arrive there. */
export function encodeDepositEth(minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETH(uint32,bytes)', [minGasLimit, extraData])
}

export function encodeDepositEthTo(to: Address, minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETHTo(address,uint32,bytes)', [to, minGasLimit, extraData])
}
