/** Mixed-case checksum addresses. EIP-55 */
import { type Address, bytesToHex } from './hex.ts'
import { keccak256 } from './keccak.ts'

/** A letter is upper-case when the hash of the lower-case address has a digit of 8 or more at its position. */
export function toChecksumAddress(address: Address): string {
  const digits = address.slice(2)
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2)
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i] as string, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}
