/** The standard bridges, one on each chain: native value and ERC-20s through the messengers. specs: protocol/bridges.md */
import type { Address } from '@keelson/primitives'
import { encodeCall } from './abi/abi-encode.ts'

/** To the sender's own address on L2; the wei sent along arrive there. */
export function encodeDepositEth(minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETH(uint32,bytes)', [minGasLimit, extraData])
}

export function encodeDepositEthTo(to: Address, minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('depositETHTo(address,uint32,bytes)', [to, minGasLimit, extraData])
}

/** On either bridge: the wei sent along arrive at `to` on the other chain. */
export function encodeBridgeEthTo(to: Address, minGasLimit: bigint, extraData: Uint8Array = new Uint8Array(0)): Uint8Array {
  return encodeCall('bridgeETHTo(address,uint32,bytes)', [to, minGasLimit, extraData])
}

export interface Erc20Transfer {
  /** On the chain of the bridge that is called, which takes it from the caller. */
  readonly localToken: Address
  readonly remoteToken: Address
  readonly to: Address
  readonly amount: bigint
  /** For the call on the other chain. */
  readonly minGasLimit: bigint
}

/** On either bridge. A token it does not mint itself must be approved before. */
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
