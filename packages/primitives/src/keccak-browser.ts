/** Keccak-256 for the pages, whose Content-Security-Policy allows no WebAssembly. The bundler takes it in place of `keccak.ts`. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { type Bytes32, bytesToHex, type Hash } from './hex.ts'

export function keccak256(data: Uint8Array): Bytes32 {
  return keccak_256(data) as Bytes32
}

/** Writes the 32 bytes of the hash to `out` at `at`. */
export function keccak256Into(data: Uint8Array, out: Uint8Array, at: number): void {
  out.set(keccak_256(data), at)
}

export function keccak256Hash(data: Uint8Array): Hash {
  return bytesToHex(keccak_256(data)) as Hash
}

/** See `KeccakStream` of `keccak.ts`. */
export class KeccakStream {
  readonly #hash = keccak_256.create()

  update(data: Uint8Array): void {
    this.#hash.update(data)
  }

  digest(): Bytes32 {
    return this.#hash.clone().digest() as Bytes32
  }
}
