import { type Address, bytesToHex } from './hex.ts'
import { keccak256 } from './keccak.ts'

/** EIP-55: a letter is upper-case when the digit at its position in the address's hash is 8 or more. */
export function toChecksumAddress(address: Address): string {
  const digits = address.slice(2)
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2)
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i] as string, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}
