/** RFC 7932 sections 3.4 and 3.5. */
import { PrefixCode } from '../prefix-code.ts'
import { type BrotliInput, StreamStop } from './brotli-input.ts'

const MAX_CODE_LENGTH = 15
const FULL_SPACE = 2 ** MAX_CODE_LENGTH
const CODE_LENGTH_ORDER = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]
const CODE_LENGTH_SPACE = 32
const STATIC_PEEK_BITS = 4
const STATIC_LENGTHS = [2, 2, 2, 3, 2, 2, 2, 4, 2, 2, 2, 3, 2, 2, 2, 4]
const STATIC_VALUES = [0, 4, 3, 2, 0, 4, 3, 1, 0, 4, 3, 2, 0, 4, 3, 5]
const REPEAT_PREVIOUS = 16
const FIRST_PREVIOUS_LENGTH = 8
const SIMPLE = 1
/** Code lengths by number of symbols; the last row is the second variant for four symbols. */
const SIMPLE_LENGTHS = [[], [0], [1, 1], [1, 2, 2], [2, 2, 2, 2], [1, 2, 3, 3]] as const

export function readPrefixCode(input: BrotliInput, alphabet: number): PrefixCode {
  const kind = input.bits(2)
  return kind === SIMPLE ? readSimple(input, alphabet) : readComplex(input, alphabet, kind)
}

function readSimple(input: BrotliInput, alphabet: number): PrefixCode {
  const count = input.bits(2) + 1
  const bits = 32 - Math.clz32(alphabet - 1)
  const symbols: number[] = []
  for (let i = 0; i < count; i++) {
    const symbol = input.bits(bits)
    if (symbol >= alphabet) throw new StreamStop('corrupt')
    symbols.push(symbol)
  }
  if (new Set(symbols).size < count) throw new StreamStop('corrupt')
  const shape = count === 4 ? 4 + input.bits(1) : count
  if (count === 1) return PrefixCode.ofOne(symbols[0] as number)
  const lengths = new Uint8Array(alphabet)
  symbols.forEach((symbol, i) => {
    lengths[symbol] = (SIMPLE_LENGTHS[shape] as readonly number[])[i] as number
  })
  return PrefixCode.of(lengths) as PrefixCode
}

function readComplex(input: BrotliInput, alphabet: number, skipped: number): PrefixCode {
  const lengthCode = readLengthCode(input, skipped)
  const lengths = new Uint8Array(alphabet)
  let symbol = 0
  let space = FULL_SPACE
  let previous = FIRST_PREVIOUS_LENGTH
  let repeat = 0
  let repeated = 0
  // an oversubscribed code makes the space negative; the reference decoder reads on to the end of the alphabet
  while (symbol < alphabet && space !== 0) {
    const { symbol: length, extra } = input.lengthSymbol(lengthCode, extraBitsOf)
    if (length < REPEAT_PREVIOUS) {
      repeat = 0
      if (length > 0) {
        lengths[symbol] = length
        previous = length
        space -= FULL_SPACE >> length
      }
      symbol++
      continue
    }
    const isPrevious = length === REPEAT_PREVIOUS
    const value = isPrevious ? previous : 0
    if (repeated !== value) {
      repeat = 0
      repeated = value
    }
    const before = repeat
    if (repeat > 0) repeat = (repeat - 2) << (isPrevious ? 2 : 3)
    repeat += extra + 3
    const end = symbol + repeat - before
    if (end > alphabet) throw new StreamStop('corrupt')
    lengths.fill(value, symbol, end)
    if (value > 0) space -= (end - symbol) * (FULL_SPACE >> value)
    symbol = end
  }
  const code = space === 0 ? PrefixCode.of(lengths) : null
  if (code === null) throw new StreamStop('corrupt')
  return code
}

const extraBitsOf = (symbol: number) => (symbol < REPEAT_PREVIOUS ? 0 : symbol === REPEAT_PREVIOUS ? 2 : 3)

function readLengthCode(input: BrotliInput, skipped: number): PrefixCode {
  const lengths = new Uint8Array(CODE_LENGTH_ORDER.length)
  let space = CODE_LENGTH_SPACE
  let used = 0
  let last = 0
  for (let i = skipped; i < CODE_LENGTH_ORDER.length && space > 0; i++) {
    const bits = input.shortSymbol(STATIC_PEEK_BITS, (next) => STATIC_LENGTHS[next] as number)
    const length = STATIC_VALUES[bits] as number
    if (length === 0) continue
    last = CODE_LENGTH_ORDER[i] as number
    lengths[last] = length
    space -= CODE_LENGTH_SPACE >> length
    used++
  }
  if (used === 1) return PrefixCode.ofOne(last)
  const code = space === 0 ? PrefixCode.of(lengths) : null
  if (code === null) throw new StreamStop('corrupt')
  return code
}
