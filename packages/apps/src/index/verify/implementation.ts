/** The address whose code a contract or an account runs. */
import { type Address, equalBytes, type Hash, hexToBytes, toAddress, ZERO_ADDRESS } from '@keelson/primitives'

/** keccak256("eip1967.proxy.implementation") - 1. ERC-1967 */
export const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc' as Hash
const ADDRESS_BYTES = 20
const WORD_BYTES = 32
/** Code whose address stands between two fixed parts: ERC-1167 and EIP-7702. */
const FORMS = [
  { before: hexToBytes('0x363d3d373d3d3d363d73'), after: hexToBytes('0x5af43d82803e903d91602b57fd5bf3') },
  { before: hexToBytes('0xef0100'), after: new Uint8Array(0) },
]

/** `slot` is the content of IMPLEMENTATION_SLOT. Null for code that runs itself. */
export function implementationOf(code: Uint8Array, slot: Uint8Array): Address | null {
  for (const { before, after } of FORMS) {
    const end = before.length + ADDRESS_BYTES
    if (code.length !== end + after.length) continue
    if (equalBytes(code.subarray(0, before.length), before) && equalBytes(code.subarray(end), after))
      return toAddress(code.subarray(before.length, end))
  }
  if (slot.length !== WORD_BYTES || slot.subarray(0, WORD_BYTES - ADDRESS_BYTES).some((byte) => byte !== 0)) return null
  const address = toAddress(slot.subarray(WORD_BYTES - ADDRESS_BYTES))
  return address === ZERO_ADDRESS ? null : address
}
