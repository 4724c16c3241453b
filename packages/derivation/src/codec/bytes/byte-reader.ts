/** Reading past the end throws CodecError with the reader's code. */
import { bytesToBigint, CodecError, type CodecErrorCode } from '@keelson/primitives'

const MAX_UVARINT_BYTES = 10
const SMALL_UVARINT_BYTES = 7

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

  #expect(length: number, what: string): void {
    if (length > this.remaining) this.fail(`${what}: expected ${length} bytes, ${this.remaining} are left`)
  }

  bytes(length: number, what: string): Uint8Array {
    this.#expect(length, what)
    const out = this.#data.subarray(this.#at, this.#at + length)
    this.#at += length
    return out
  }

  byte(what: string): number {
    const byte = this.peek(what)
    this.#at++
    return byte
  }

  peek(what: string): number {
    if (this.remaining === 0) this.fail(`${what}: the input ends here`)
    return this.#data[this.#at] as number
  }

  bigUint(length: number, what: string): bigint {
    return bytesToBigint(this.bytes(length, what))
  }

  /** Big-endian. Fails above 2^53-1. */
  uint(length: number, what: string): number {
    this.#expect(length, what)
    let value = 0
    for (const end = this.#at + length; this.#at < end; this.#at++) value = value * 256 + (this.#data[this.#at] as number)
    if (value > Number.MAX_SAFE_INTEGER) this.fail(`${what} is above 2^53-1`)
    return value
  }

  uvarint(what: string): bigint {
    let small = 0
    for (let i = 0, scale = 1; i < SMALL_UVARINT_BYTES; i++, scale *= 128) {
      const byte = this.byte(what)
      small += (byte & 0x7f) * scale
      if (byte < 0x80) return BigInt(small)
    }
    let value = BigInt(small)
    for (let i = SMALL_UVARINT_BYTES; i < MAX_UVARINT_BYTES; i++) {
      const byte = this.byte(what)
      if (i === MAX_UVARINT_BYTES - 1 && byte > 1) break
      value |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) return value
    }
    return this.fail(`${what}: varint does not fit 64 bits`)
  }

  /** A value above 2^53 loses its low bits. */
  uvarintNumber(what: string): number {
    const first = this.#data[this.#at]
    if (first === undefined || first >= 0x80) return Number(this.uvarint(what))
    this.#at++
    return first
  }

  skipUvarint(what: string): void {
    this.uvarintNumber(what)
  }

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
