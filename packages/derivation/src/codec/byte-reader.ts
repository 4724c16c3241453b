/** Reads fields off a byte string from front to back; running past the end throws the reader's own CodecError code. */
import { bytesToBigint, CodecError, type CodecErrorCode } from '@keelson/primitives'

const MAX_UVARINT_BYTES = 10

export class ByteReader {
  readonly #data: Uint8Array
  readonly #code: CodecErrorCode
  #at = 0

  constructor(data: Uint8Array, code: CodecErrorCode) {
    this.#data = data
    this.#code = code
  }

  get remaining(): number {
    return this.#data.length - this.#at
  }

  get offset(): number {
    return this.#at
  }

  fail(message: string): never {
    throw new CodecError(this.#code, message)
  }

  /** A view of the next `length` bytes. */
  bytes(length: number, what: string): Uint8Array {
    if (length > this.remaining) this.fail(`${what}: expected ${length} bytes, ${this.remaining} are left`)
    const out = this.#data.subarray(this.#at, this.#at + length)
    this.#at += length
    return out
  }

  byte(what: string): number {
    return this.bytes(1, what)[0] as number
  }

  peek(what: string): number {
    if (this.remaining === 0) this.fail(`${what}: the input ends here`)
    return this.#data[this.#at] as number
  }

  /** Big-endian, at most 6 bytes. */
  uint(length: number, what: string): number {
    let value = 0
    for (const byte of this.bytes(length, what)) value = value * 256 + byte
    return value
  }

  bigUint(length: number, what: string): bigint {
    return bytesToBigint(this.bytes(length, what))
  }

  /** Unsigned base-128 varint of at most 64 bits. */
  uvarint(what: string): bigint {
    let value = 0n
    for (let i = 0; i < MAX_UVARINT_BYTES; i++) {
      const byte = this.byte(what)
      if (i === MAX_UVARINT_BYTES - 1 && byte > 1) break
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return value
    }
    return this.fail(`${what}: varint does not fit 64 bits`)
  }

  /** Looks at what is left without taking it. */
  rest(): Uint8Array {
    return this.#data.subarray(this.#at)
  }

  skip(length: number): void {
    this.#at += length
  }

  expectEnd(what: string): void {
    if (this.remaining > 0) this.fail(`${what}: ${this.remaining} bytes too many`)
  }
}
