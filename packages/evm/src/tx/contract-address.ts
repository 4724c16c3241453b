/** Yellow paper, section 7 */
import { type Bytes20, type Bytes32, concatBytes, keccak256, rlpEncode } from '@keelson/primitives'

export function createAddress(sender: Bytes20, nonce: bigint): Bytes20 {
  return keccak256(rlpEncode([sender, nonce])).subarray(12)
}

/** EIP-1014 */
export function create2Address(sender: Bytes20, salt: Bytes32, initCode: Uint8Array): Bytes20 {
  return keccak256(concatBytes(Uint8Array.of(0xff), sender, salt, keccak256(initCode))).subarray(12)
}
