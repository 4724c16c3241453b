/** Own addresses are "keelson" in ASCII and a number. */
import { type Address, L2_STANDARD_BRIDGE, toAddress } from '@keelson/primitives'

export const OWN_CONTRACTS = {
  Agents: ownAddress(1),
  Tasks: ownAddress(2),
  Staking: ownAddress(3),
} as const satisfies Record<string, Address>

/** Development L1 only; L2 has the standard bridge at this address. */
export const DEPOSIT_ENTRY: Address = L2_STANDARD_BRIDGE

export function ownAddress(index: number): Address {
  return toAddress(`0x6b65656c736f6e${index.toString(16).padStart(26, '0')}`)
}
