/** devp2p rlpx.md#mac: Keccak-256 over all frames so far, mixed with AES. */
import { createCipheriv } from 'node:crypto'
import { KeccakStream } from '@keelson/primitives'

export const MAC_BYTES = 16

export class FrameMac {
  readonly #hash = new KeccakStream()
  readonly #aes: ReturnType<typeof createCipheriv>

  constructor(secret: Uint8Array, seed: readonly Uint8Array[]) {
    this.#aes = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false)
    for (const part of seed) this.#hash.update(part)
  }

  header(encrypted: Uint8Array): Uint8Array {
    return this.#mix(this.#digest(), encrypted)
  }

  body(encrypted: Uint8Array): Uint8Array {
    this.#hash.update(encrypted)
    const digest = this.#digest()
    return this.#mix(digest, digest)
  }

  #mix(digest: Uint8Array, seed: Uint8Array): Uint8Array {
    this.#hash.update(xorBytes(this.#aes.update(digest), seed))
    return this.#digest()
  }

  #digest(): Uint8Array {
    return this.#hash.digest().subarray(0, MAC_BYTES)
  }
}

export function xorBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length)
  for (let i = 0; i < out.length; i++) out[i] = (a[i] as number) ^ (b[i] as number)
  return out
}
