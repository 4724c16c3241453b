import { type Address, bytesToHex, toAddress } from './hex.ts'
import { keccak256 } from './keccak.ts'

/** EIP-55: a letter is upper-case when the digit at its position in the address's hash is 8 or more. */
export function toChecksumAddress(address: Address): string {
  const digits = address.slice(2)
  const hash = bytesToHex(keccak256(new TextEncoder().encode(digits))).slice(2)
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i] as string, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

/** Whether letters of both cases contradict EIP-55. An address in one case carries no checksum. Throws CodecError `codec/address`. */
export function hasWrongChecksum(address: string): boolean {
  const digits = address.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  return isMixed && address !== toChecksumAddress(toAddress(address))
}

export function describeWrongChecksum(address: string): string {
  return `the checksum of ${address} is wrong: look for a mistyped digit, or write the address in lower case`
}
