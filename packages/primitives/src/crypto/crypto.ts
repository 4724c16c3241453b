import type { Bytes20, Bytes32 } from '../hex.ts'
import type { Signature } from '../tx/transaction.ts'

export interface Crypto {
  readonly name: string
  /** Returns the signer's address; null for an invalid signature. */
  recover(digest: Bytes32, signature: Signature): Bytes20 | null
  /** Returns the signer's public key, 65 bytes of which the first is 4; null for an invalid signature. */
  recoverKey(digest: Bytes32, signature: Signature): Uint8Array | null
  /** Deterministic (RFC 6979), low s. */
  sign(digest: Bytes32, privateKey: Bytes32): Signature
  addressOf(privateKey: Bytes32): Bytes20
  sha256(data: Uint8Array): Bytes32
}

/** EIP-4844. Slow, so implementations load it lazily, off the main thread. */
export interface Kzg {
  blobToCommitment(blob: Uint8Array): Promise<Uint8Array>
  blobProof(blob: Uint8Array, commitment: Uint8Array): Promise<Uint8Array>
  verifyBlobProof(blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): Promise<boolean>
}

export interface SyncKzgVerifier {
  verifyProof(commitment: Uint8Array, z: Bytes32, y: Bytes32, proof: Uint8Array): boolean
}

/** Null makes the precompile fail. */
export type CurveResult<T> = T | null

/** The caller checks only input lengths. */
export interface PairingCurves {
  /** EIP-196 and EIP-197. */
  readonly bn254: {
    add(input: Uint8Array): CurveResult<Uint8Array>
    /** Ignores bytes after the first 96. */
    multiply(input: Uint8Array): CurveResult<Uint8Array>
    /** May be empty. */
    pairing(input: Uint8Array): CurveResult<boolean>
  }
  /** EIP-2537. */
  readonly bls12: {
    addG1(input: Uint8Array): CurveResult<Uint8Array>
    addG2(input: Uint8Array): CurveResult<Uint8Array>
    /** Points with scalars. */
    sumG1(input: Uint8Array): CurveResult<Uint8Array>
    sumG2(input: Uint8Array): CurveResult<Uint8Array>
    pairing(input: Uint8Array): CurveResult<boolean>
    mapToG1(input: Uint8Array): CurveResult<Uint8Array>
    mapToG2(input: Uint8Array): CurveResult<Uint8Array>
  }
}

/** Larger s are rejected from Homestead (EIP-2). */
export const SECP256K1_HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
