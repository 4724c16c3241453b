/** Extracts brotli's static dictionary (RFC 7932 Appendix A) with a stream that copies every word. */
import { brotliDecompressSync } from 'node:zlib'
import { DICTIONARY_BYTES, MAX_WORD_BYTES, MIN_WORD_BYTES, wordNumberBits } from '@keelson/derivation'

const WINDOW_BITS = 10
/** With the smallest window and this many bytes of output, dictionary word n has distance REACH + 1 + n. */
const REACH = (1 << WINDOW_BITS) - 16
/** First of the four distance codes for distances 1009 to 3056. */
const FIRST_DISTANCE_CODE = 16 + 15
/** Copy codes for lengths 4 to 24. RFC 7932 section 5. */
const COPY_CODES = [
  ...[4, 5, 6, 7, 8, 9].map((base, i) => ({ code: i + 2, base, bits: 0 })),
  { code: 8, base: 10, bits: 1 },
  { code: 9, base: 12, bits: 1 },
  { code: 10, base: 14, bits: 2 },
  { code: 11, base: 18, bits: 2 },
  { code: 12, base: 22, bits: 3 },
]

class BitWriter {
  readonly bytes: number[] = []
  #used = 0

  write(value: number, bits: number): void {
    for (let i = 0; i < bits; i++, this.#used++) {
      if (this.#used % 8 === 0) this.bytes.push(0)
      this.bytes[this.bytes.length - 1] = (this.bytes[this.bytes.length - 1] as number) | (((value >> i) & 1) << (this.#used % 8))
    }
  }

  align(): void {
    while (this.#used % 8 !== 0) this.write(0, 1)
  }

  /** Simple prefix code. RFC 7932 section 3.4. */
  simpleCode(symbols: readonly number[], symbolBits: number): void {
    this.write(1, 2)
    this.write(symbols.length - 1, 2)
    for (const symbol of symbols) this.write(symbol, symbolBits)
    if (symbols.length === 4) this.write(0, 1)
  }
}

let dictionary: Uint8Array | null = null

/** The first call takes about 1 ms. */
export function brotliDictionary(): Uint8Array {
  dictionary ??= new Uint8Array(brotliDecompressSync(streamOfAllWords())).subarray(REACH)
  if (dictionary.length !== DICTIONARY_BYTES)
    throw new Error(`brotli dictionary: expected ${DICTIONARY_BYTES} bytes, got ${dictionary.length}`)
  return dictionary
}

function streamOfAllWords(): Uint8Array {
  const writer = new BitWriter()
  writer.write(0b0100001, 7)
  writeFiller(writer)
  for (let length = MIN_WORD_BYTES; length <= MAX_WORD_BYTES; length++) writeWords(writer, length)
  writer.write(0b11, 2)
  return Uint8Array.from(writer.bytes)
}

function writeLength(writer: BitWriter, bytes: number): void {
  // The metablock is not the last; its length has five nibbles if needed.
  writer.write(0, 1)
  const nibbles = bytes > 1 << 16 ? 5 : 4
  writer.write(nibbles - 4, 2)
  writer.write(bytes - 1, nibbles * 4)
}

/** Uncompressed zeros, so that longer distances refer to the dictionary. */
function writeFiller(writer: BitWriter): void {
  writeLength(writer, REACH)
  writer.write(1, 1)
  writer.align()
  for (let i = 0; i < REACH; i++) writer.write(0, 8)
}

function writeWords(writer: BitWriter, length: number): void {
  const count = 1 << wordNumberBits(length)
  const copy = COPY_CODES.findLast(({ base }) => base <= length) as (typeof COPY_CODES)[number]
  writeLength(writer, length * count)
  // Compressed, with one block type and one code each, no postfix, no direct distances, context mode 0.
  writer.write(0, 1 + 3 + 6 + 2 + 2)
  writer.simpleCode([0], 8)
  writer.simpleCode([copy.code < 8 ? 128 + copy.code : 192 + copy.code - 8], 10)
  writer.simpleCode(
    [0, 1, 2, 3].map((i) => FIRST_DISTANCE_CODE + i),
    6,
  )
  for (let number = 0; number < count; number++) {
    writer.write(length - copy.base, copy.bits)
    writeDistance(writer, REACH + 1 + number)
  }
}

/** RFC 7932 section 4, without postfix bits. Two-bit codes have the most significant bit first. */
function writeDistance(writer: BitWriter, distance: number): void {
  for (let code = 15; ; code++) {
    const bits = 1 + (code >> 1)
    const first = ((2 + (code & 1)) << bits) - 3
    if (distance >= first + (1 << bits)) continue
    const symbol = code - 15
    writer.write(((symbol & 1) << 1) | (symbol >> 1), 2)
    writer.write(distance - first, bits)
    return
  }
}
