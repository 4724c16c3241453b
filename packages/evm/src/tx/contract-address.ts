/** Address of a contract made by a transaction: from its sender and nonce. Yellow paper, section 7 */
import { type Bytes20, keccak256, rlpEncode } from '@keelson/primitives'

export function createAddress(sender: Bytes20, nonce: bigint): Bytes20 {
  return keccak256(rlpEncode([sender, nonce])).subarray(12)
}
