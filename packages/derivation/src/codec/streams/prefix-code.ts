/** RFC 1951 section 3.2.2, RFC 7932 section 3. */

export const MAX_CODE_LENGTH = 15
const TABLE_BITS = 10
const TABLE_MASK = (1 << TABLE_BITS) - 1
const LENGTH_BITS = 4
const LENGTH_MASK = (1 << LENGTH_BITS) - 1

const NO_TABLE = new Uint16Array(0)

export class PrefixCode {
  readonly #table: Uint16Array
  readonly #counts = new Uint16Array(MAX_CODE_LENGTH + 1)
  readonly #symbols: Uint16Array
  #onlySymbol = -1
  length = 0

  private constructor(symbols: number) {
    // Avoid a table here: a stream can declare many one-symbol codes cheaply.
    this.#table = symbols === 0 ? NO_TABLE : new Uint16Array(1 << TABLE_BITS)
    this.#symbols = new Uint16Array(symbols)
  }

  /** Null for an incomplete tree; an empty code and a single code of one bit are valid. */
  static of(lengths: Uint8Array): PrefixCode | null {
    const code = new PrefixCode(lengths.length)
    for (const length of lengths) if (length > 0) code.#count(length)
    const used = code.#counts.reduce((sum, count) => sum + count, 0)
    if (used === 0) return code
    const places = code.#counts.reduce((sum, count, length) => sum + count * 2 ** (MAX_CODE_LENGTH - length), 0)
    const complete = places === 2 ** MAX_CODE_LENGTH
    if (!complete && !(used === 1 && code.#counts[1] === 1)) return null
    code.#fill(lengths)
    return code
  }

  static ofOne(symbol: number): PrefixCode {
    const code = new PrefixCode(0)
    code.#onlySymbol = symbol
    return code
  }

  #count(length: number): void {
    this.#counts[length] = (this.#counts[length] as number) + 1
  }

  #fill(lengths: Uint8Array): void {
    const nextCode = new Uint16Array(MAX_CODE_LENGTH + 2)
    const nextPlace = new Uint16Array(MAX_CODE_LENGTH + 2)
    for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
      const count = this.#counts[length] as number
      nextCode[length + 1] = ((nextCode[length] as number) + count) << 1
      nextPlace[length + 1] = (nextPlace[length] as number) + count
    }
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      const length = lengths[symbol] as number
      if (length === 0) continue
      const code = nextCode[length] as number
      nextCode[length] = code + 1
      const place = nextPlace[length] as number
      nextPlace[length] = place + 1
      this.#symbols[place] = symbol
      if (length > TABLE_BITS) continue
      const entry = (symbol << LENGTH_BITS) | length
      for (let at = reversed(code, length); at < this.#table.length; at += 1 << length) this.#table[at] = entry
    }
  }

  /** Decodes the low bits and sets `length`; -1 for an invalid code. */
  decode(bits: number): number {
    if (this.#onlySymbol >= 0) return this.#onlySymbol
    const entry = this.#table[bits & TABLE_MASK] as number
    if (entry !== 0) {
      this.length = entry & LENGTH_MASK
      return entry >> LENGTH_BITS
    }
    let code = 0
    let first = 0
    let place = 0
    for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
      code |= (bits >> (length - 1)) & 1
      const count = this.#counts[length] as number
      if (code - first < count) {
        this.length = length
        return this.#symbols[place + code - first] as number
      }
      place += count
      first = (first + count) << 1
      code <<= 1
    }
    return -1
  }
}

function reversed(code: number, length: number): number {
  let out = 0
  for (let i = 0; i < length; i++) out |= ((code >> i) & 1) << (length - 1 - i)
  return out
}
