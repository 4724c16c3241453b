/**
 * op-node's decoder reads input in portions and returns output at the end of each; an error loses later output. This class
 * therefore consumes bytes exactly like that decoder.
 */
import type { PrefixCode } from '../prefix-code.ts'

/** The decoder's buffer holds 4096 bytes; the channel's version byte takes the first. */
const FIRST_PORTION_BYTES = 4095
const PORTION_BYTES = 32 * 1024
const MAX_CODE_LENGTH = 15
/** For codes shorter than this, the reference reader fetches four bytes at once. */
const FETCH_BYTES = 4
const FETCH_BELOW_BITS = 32

/** The kind of the resulting `Offer` (brotli-decoder.ts). */
export type OutOfInput = 'soft' | 'hard'

export class StreamStop extends Error {
  readonly end: 'corrupt' | 'limit'

  constructor(end: 'corrupt' | 'limit') {
    super(end)
    this.end = end
  }
}

export class BrotliInput {
  readonly #data: Uint8Array
  readonly #onOutOfInput: (kind: OutOfInput) => void
  #bit = 0
  #fetched = 0
  #visible: number
  #portion: number
  /** True while unread bytes of the last portion precede the first bytes of this one. */
  #isBridging = false
  #rewindTo = -1

  constructor(data: Uint8Array, onOutOfInput: (kind: OutOfInput) => void) {
    this.#data = data
    this.#onOutOfInput = onOutOfInput
    this.#portion = Math.min(FIRST_PORTION_BYTES, data.length)
    this.#visible = this.#portion
  }

  get consumedBytes(): number {
    return (this.#bit + 7) >> 3
  }

  get hasExcess(): boolean {
    return this.#portion > (this.#isBridging ? this.#visible : this.consumedBytes)
  }

  get #available(): number {
    return this.#fetched * 8 - this.#bit
  }

  /** When `rest` runs out of input, the reference reader rewinds to the symbol. */
  unit<T>(code: PrefixCode, rest: (symbol: number) => T): T {
    const mark = this.#fetched
    const symbol = this.symbol(code)
    this.#rewindTo = mark
    const value = rest(symbol)
    this.#rewindTo = -1
    return value
  }

  #outOfInput(): void {
    const base = this.#rewindTo >= 0 ? this.#rewindTo : this.#fetched
    const rest = this.#visible - base
    if (this.#isBridging) {
      if (rest === 0) {
        this.#onOutOfInput('soft')
        this.#isBridging = false
        this.#visible = this.#portion
        return
      }
      if (this.#visible < this.#portion) {
        this.#onOutOfInput('soft')
        this.#visible++
        return
      }
    }
    this.#onOutOfInput('hard')
    if (this.#portion === this.#data.length) throw new StreamStop('corrupt')
    const next = Math.min(this.#portion + PORTION_BYTES, this.#data.length)
    this.#isBridging = rest > 0
    this.#visible = this.#isBridging ? this.#portion + 1 : next
    this.#portion = next
  }

  #fetchByte(): void {
    while (this.#fetched === this.#visible) this.#outOfInput()
    this.#fetched++
  }

  #peek(): number {
    const at = this.#bit >> 3
    const data = this.#data
    const word = (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16) | ((data[at + 3] ?? 0) << 24)
    return word >>> (this.#bit & 7)
  }

  require(bits: number): void {
    while (this.#available < bits) this.#fetchByte()
  }

  bits(count: number): number {
    if (count === 0) return 0
    this.require(count)
    const value = this.#peek() & ((1 << count) - 1)
    this.#bit += count
    return value
  }

  /** Call `require` first. */
  peek(count: number): number {
    return this.#peek() & ((1 << count) - 1)
  }

  drop(count: number): void {
    this.#bit += count
  }

  symbol(code: PrefixCode): number {
    for (;;) {
      while (this.#available < MAX_CODE_LENGTH && this.#fetched < this.#visible) this.#fetched++
      const symbol = code.decode(this.#peek())
      if (symbol >= 0 && code.length <= this.#available) {
        this.#bit += code.length
        return symbol
      }
      this.#outOfInput()
    }
  }

  lengthSymbol(code: PrefixCode, extraBitsOf: (symbol: number) => number): { readonly symbol: number; readonly extra: number } {
    if (this.#visible - this.#fetched >= FETCH_BYTES && this.#available <= FETCH_BELOW_BITS) this.#fetched += FETCH_BYTES
    for (;;) {
      const word = this.#peek()
      const symbol = code.decode(word)
      const extraBits = extraBitsOf(symbol)
      if (code.length + extraBits <= this.#available) {
        this.#bit += code.length + extraBits
        return { symbol, extra: (word >>> code.length) & ((1 << extraBits) - 1) }
      }
      this.#fetchByte()
    }
  }

  /** Peeks `peekBits` bits but consumes only the symbol's. At the end of a portion, the bits of a short symbol suffice. */
  shortSymbol(peekBits: number, lengthOf: (bits: number) => number): number {
    for (;;) {
      while (this.#available < peekBits && this.#fetched < this.#visible) this.#fetched++
      const bits = this.peek(peekBits)
      if (lengthOf(bits) <= this.#available) {
        this.#bit += lengthOf(bits)
        return bits
      }
      this.#outOfInput()
    }
  }

  /** Skips to a byte boundary. False when a skipped bit is set. */
  align(): boolean {
    const skipped = this.#available & 7
    const value = skipped === 0 ? 0 : this.peek(skipped)
    this.#bit += skipped
    return value === 0
  }

  bytes(most: number): Uint8Array {
    const from = this.#bit >> 3
    while (from === this.#visible) this.#outOfInput()
    const to = Math.min(from + most, this.#visible)
    this.#fetched = Math.max(this.#fetched, to)
    this.#bit = to * 8
    return this.#data.subarray(from, to)
  }
}
