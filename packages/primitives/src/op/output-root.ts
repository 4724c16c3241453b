/** specs: protocol/proposals.md#l2-output-commitment-construction */
import { concatBytes } from '../bytes.ts'
import { type Hash, hexToBytes } from '../hex.ts'
import { keccak256Hash } from '../keccak.ts'

export function outputRootV0(stateRoot: Hash, messagePasserStorageRoot: Hash, blockHash: Hash): Hash {
  return keccak256Hash(concatBytes(new Uint8Array(32), hexToBytes(stateRoot), hexToBytes(messagePasserStorageRoot), hexToBytes(blockHash)))
}
