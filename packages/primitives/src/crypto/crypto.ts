/**
 * Primitives whose fast form is native: given to factories as a port, so that the protocol packages
 * run in a browser (pure implementation, `createPureCrypto`) and at full speed in the node.
 * Keccak is not here: it is always at hand (keccak.ts).
 */
import type { Bytes20, Bytes32 } from '../hex.ts'
import type { Signature } from '../tx/transaction.ts'

export interface Crypto {
  /** How it is implemented, for logs: "native secp256k1", "pure JavaScript". */
  readonly name: string
  /** Address that signed `digest`; null when the signature is not valid (r or s out of range, no such point). */
  recover(digest: Bytes32, signature: Signature): Bytes20 | null
  /** Deterministic (RFC 6979), low s. */
  sign(digest: Bytes32, privateKey: Bytes32): Signature
  addressOf(privateKey: Bytes32): Bytes20
  sha256(data: Uint8Array): Bytes32
}

/** KZG on blobs of 131,072 bytes (EIP-4844); slow to load, so implementations load lazily, off the main thread. */
export interface Kzg {
  blobToCommitment(blob: Uint8Array): Promise<Uint8Array>
  blobProof(blob: Uint8Array, commitment: Uint8Array): Promise<Uint8Array>
  verifyBlobProof(blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): Promise<boolean>
}

/** The point evaluation precompile needs its answer at once. */
export interface SyncKzgVerifier {
  verifyProof(commitment: Uint8Array, z: Bytes32, y: Bytes32, proof: Uint8Array): boolean
}

/** Halves the curve order: signatures with a larger s are refused from Homestead (EIP-2). */
export const SECP256K1_HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
