/** The standard bridges. specs: protocol/bridges.md */
import type { Address } from '@keelson/primitives'
import { encodeCall } from './abi/abi-encode.ts'

/** Gas for the call on the other chain. Unused gas is not refunded. */
export const BRIDGE_GAS_LIMIT = 200_000n

/** Minimum of a development L1's entry contract, not of the OP Stack. */
export const MINIMUM_DEPOSIT_WEI = 10n ** 16n

/** Credits the sender on L2. */
export function encodeDepositEth(minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETH(uint32,bytes)', [minGasLimit, extraData])
}

export function encodeDepositEthTo(to: Address, minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETHTo(address,uint32,bytes)', [to, minGasLimit, extraData])
}

/** Credits the value to `to` on the other chain. */
export function encodeBridgeEthTo(to: Address, minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('bridgeETHTo(address,uint32,bytes)', [to, minGasLimit, extraData])
}

export interface Erc20Transfer {
  /** Token on the chain of the called bridge. */
  readonly localToken: Address
  readonly remoteToken: Address
  readonly to: Address
  readonly amount: bigint
  readonly minGasLimit: bigint
}

/** Approve tokens first unless the bridge mints them. */
export function encodeBridgeErc20To({ localToken, remoteToken, to, amount, minGasLimit }: Erc20Transfer): Uint8Array {
  return encodeCall('bridgeERC20To(address,address,address,uint256,uint32,bytes)', [
    localToken,
    remoteToken,
    to,
    amount,
    minGasLimit,
    new Uint8Array(0),
  ])
}
