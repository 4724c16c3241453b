/** Keccak-256 (the original padding, not SHA-3's). */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Bytes32, bytesToHex, type Hash } from './hex.ts'

export function keccak256(data: Uint8Array): Bytes32 {
  return keccak_256(data)
}

export function keccak256Hash(data: Uint8Array): Hash {
  return bytesToHex(keccak256(data)) as Hash
}
