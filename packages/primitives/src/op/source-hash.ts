/** specs: protocol/deposits.md#source-hash-computation */
import { bigintToBytes, concatBytes, utf8ToBytes } from '../bytes.ts'
import { type Bytes32, type Hash, hexToBytes } from '../hex.ts'
import { keccak256 } from '../keccak.ts'

function sourceHash(domain: bigint, id: Uint8Array): Bytes32 {
  return keccak256(concatBytes(bigintToBytes(domain, 32), keccak256(id)))
}

/** `logIndex` is the log's position in the L1 block. */
export function userDepositSourceHash(l1BlockHash: Hash, logIndex: number): Bytes32 {
  return sourceHash(0n, concatBytes(hexToBytes(l1BlockHash), bigintToBytes(BigInt(logIndex), 32)))
}

export function l1InfoSourceHash(l1BlockHash: Hash, sequenceNumber: number): Bytes32 {
  return sourceHash(1n, concatBytes(hexToBytes(l1BlockHash), bigintToBytes(BigInt(sequenceNumber), 32)))
}

/** `intent` is the specification's text, e.g. "Ecotone: L1 Block Proxy Update". */
export function upgradeSourceHash(intent: string): Bytes32 {
  return sourceHash(2n, utf8ToBytes(intent))
}
