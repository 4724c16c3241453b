import { bigintToBytes, numberToBytes } from '@keelson/primitives'

export class ByteWriter {
  readonly #out: Uint8Array
  #at = 0

  constructor(length: number) {
    this.#out = new Uint8Array(length)
  }

  bytes(bytes: Uint8Array): this {
    this.#out.set(bytes, this.#at)
    this.#at += bytes.length
    return this
  }

  /** Big-endian. Throws CodecError `codec/number`. */
  uint(value: number | bigint, length: number): this {
    return this.bytes(typeof value === 'number' ? numberToBytes(value, length) : bigintToBytes(value, length))
  }

  finish(): Uint8Array {
    return this.#out
  }
}
