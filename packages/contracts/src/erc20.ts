/** Calls of ERC-20 tokens. EIP-20; specs: protocol/bridges.md */
import type { Address } from '@keelson/primitives'
import { encodeCall } from './abi/abi-encode.ts'

export const ERC20_CALLS = {
  decimals: encodeCall('decimals()'),
  /** Text; some old tokens return 32 bytes. */
  symbol: encodeCall('symbol()'),
  /** Counterpart of a bridged token. */
  remoteToken: encodeCall('remoteToken()'),
} as const

export function encodeBalanceOf(account: Address): Uint8Array {
  return encodeCall('balanceOf(address)', [account])
}

export function encodeAllowance(owner: Address, spender: Address): Uint8Array {
  return encodeCall('allowance(address,address)', [owner, spender])
}

export function encodeApprove(spender: Address, amount: bigint): Uint8Array {
  return encodeCall('approve(address,uint256)', [spender, amount])
}
