/** RFC 1951. For a damaged stream, returns the same prefix as Go's compress/flate in op-node. */
import type { Scan } from '../bytes/scan.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { MAX_CODE_LENGTH, PrefixCode } from './prefix-code.ts'
import { StepBudget } from './step-budget.ts'

/** The reference decoder flushes output at multiples of this size. */
export const WINDOW_BYTES = 32 * 1024
const END_OF_BLOCK = 256
const MAX_LITERAL_CODES = 286
const MAX_DISTANCE_CODES = 30
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const LENGTH_BASE = Uint16Array.of(
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258],
)
const LENGTH_EXTRA = Uint8Array.of(...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0])

const FIXED_LENGTHS = Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))
const FIXED_TREE = PrefixCode.of(FIXED_LENGTHS) as PrefixCode
const FIXED_DISTANCE_TREE = PrefixCode.of(new Uint8Array(32).fill(5)) as PrefixCode

interface Trees {
  readonly literals: PrefixCode
  readonly distances: PrefixCode
  /** Input bits that must be available before a literal or length is read. */
  readonly leastBits: number
}
const FIXED_TREES: Trees = { literals: FIXED_TREE, distances: FIXED_DISTANCE_TREE, leastBits: 7 }

export type InflateEnd = 'complete' | 'limit' | 'corrupt'
const PAUSE_BYTES = 16 * 1024
/** Cost of reading a block's prefix codes, expressed in output bytes. */
const BLOCK_COST_BYTES = 1024

export class Inflater {
  readonly output = new GrowingBytes()
  readonly flushes: number[] = []
  readonly #data: Uint8Array
  readonly #maxBytes: number
  readonly #budget = new StepBudget()
  #at: number
  #bits = 0
  #count = 0

  constructor(data: Uint8Array, at: number, maxBytes: number) {
    this.#data = data
    this.#at = at
    this.#maxBytes = maxBytes
  }

  get offset(): number {
    return this.#at - (this.#count >> 3)
  }

  *run(): Scan<InflateEnd> {
    for (;;) {
      if (!this.#has(3)) return 'corrupt'
      const isFinal = this.#take(1) === 1
      const end = yield* this.#block(this.#take(2), isFinal)
      if (this.#budget.spend(BLOCK_COST_BYTES)) yield
      if (end !== 'complete' || isFinal) return end
    }
  }

  *#block(type: number, isFinal: boolean): Scan<InflateEnd> {
    if (type === 0) return this.#storedBlock(isFinal)
    const trees = type === 1 ? FIXED_TREES : type === 2 ? this.#readTrees() : null
    if (trees === null) return 'corrupt'
    for (;;) {
      const before = this.output.length
      const end = this.#codedBlock(trees, before + PAUSE_BYTES)
      if (end !== 'paused') return end
      if (this.#budget.spend(this.output.length - before)) yield
    }
  }

  #has(bits: number): boolean {
    while (this.#count < bits) {
      if (this.#at >= this.#data.length) return false
      this.#bits |= (this.#data[this.#at++] as number) << this.#count
      this.#count += 8
    }
    return true
  }

  #take(bits: number): number {
    const value = this.#bits & ((1 << bits) - 1)
    this.#drop(bits)
    return value
  }

  #drop(bits: number): void {
    this.#bits >>>= bits
    this.#count -= bits
  }

  #symbol(tree: PrefixCode, leastBits: number): number {
    if (!this.#has(leastBits)) return -1
    this.#has(MAX_CODE_LENGTH)
    const symbol = tree.decode(this.#bits)
    if (symbol < 0 || tree.length > this.#count) return -1
    this.#drop(tree.length)
    return symbol
  }

  #extra(bits: number): number {
    return this.#has(bits) ? this.#take(bits) : -1
  }

  #storedBlock(isFinal: boolean): InflateEnd {
    this.#at -= this.#count >> 3
    this.#bits = 0
    this.#count = 0
    const data = this.#data
    const from = this.#at + 4
    if (from > data.length) return 'corrupt'
    const length = (data[from - 4] as number) | ((data[from - 3] as number) << 8)
    const complement = (data[from - 2] as number) | ((data[from - 1] as number) << 8)
    if (complement !== (length ^ 0xffff)) return 'corrupt'
    if (length === 0 && !isFinal && this.flushes.at(-1) !== this.output.length) this.flushes.push(this.output.length)
    const content = data.subarray(from, from + length)
    this.output.append(content)
    this.#at = from + content.length
    if (content.length < length) return 'corrupt'
    return this.#isPastLimit() ? 'limit' : 'complete'
  }

  /** Once flushed output exceeds the limit, a later error cannot change the result. */
  #isPastLimit(): boolean {
    return this.output.length > this.#maxBytes + WINDOW_BYTES
  }

  #readTrees(): Trees | null {
    if (!this.#has(14)) return null
    const literalCodes = this.#take(5) + 257
    const distanceCodes = this.#take(5) + 1
    const lengthCodes = this.#take(4) + 4
    if (literalCodes > MAX_LITERAL_CODES || distanceCodes > MAX_DISTANCE_CODES) return null
    const codeLengths = new Uint8Array(CODE_LENGTH_ORDER.length)
    for (let i = 0; i < lengthCodes; i++) {
      const length = this.#extra(3)
      if (length < 0) return null
      codeLengths[CODE_LENGTH_ORDER[i] as number] = length
    }
    const lengthTree = PrefixCode.of(codeLengths)
    const lengths = lengthTree === null ? null : this.#readLengths(lengthTree, literalCodes + distanceCodes)
    if (lengths === null) return null
    const literals = PrefixCode.of(lengths.subarray(0, literalCodes))
    const distances = PrefixCode.of(lengths.subarray(literalCodes))
    if (literals === null || distances === null) return null
    // Go requires as many bits as the end-of-block code has, even before a shorter code, and so loses the last literals of a
    // truncated stream. (compress/flate, readHuffman)
    return { literals, distances, leastBits: lengths[END_OF_BLOCK] as number }
  }

  #readLengths(tree: PrefixCode, count: number): Uint8Array | null {
    const lengths = new Uint8Array(count)
    for (let i = 0; i < count; ) {
      const symbol = this.#symbol(tree, 0)
      if (symbol < 0) return null
      if (symbol < 16) {
        lengths[i++] = symbol
        continue
      }
      if (symbol === 16 && i === 0) return null
      const extra = this.#extra(symbol === 16 ? 2 : symbol === 17 ? 3 : 7)
      if (extra < 0) return null
      const end = i + extra + (symbol === 18 ? 11 : 3)
      if (end > count) return null
      lengths.fill(symbol === 16 ? (lengths[i - 1] as number) : 0, i, end)
      i = end
    }
    return lengths
  }

  #codedBlock({ literals, distances, leastBits }: Trees, pauseAt: number): InflateEnd | 'paused' {
    const { output } = this
    while (output.length < pauseAt) {
      const symbol = this.#symbol(literals, leastBits)
      if (symbol < 0 || symbol >= MAX_LITERAL_CODES) return 'corrupt'
      if (symbol === END_OF_BLOCK) return 'complete'
      if (symbol < END_OF_BLOCK) {
        output.reserve(1)
        output.bytes[output.length++] = symbol
      } else {
        const extra = this.#extra(LENGTH_EXTRA[symbol - 257] as number)
        if (extra < 0) return 'corrupt'
        const distance = this.#distance(distances)
        if (distance < 0 || distance > Math.min(output.length, WINDOW_BYTES)) return 'corrupt'
        output.copyBack(distance, (LENGTH_BASE[symbol - 257] as number) + extra)
      }
      if (this.#isPastLimit()) return 'limit'
    }
    return 'paused'
  }

  #distance(tree: PrefixCode): number {
    const symbol = this.#symbol(tree, 0)
    if (symbol < 0 || symbol >= MAX_DISTANCE_CODES) return -1
    if (symbol < 4) return symbol + 1
    const bits = (symbol - 2) >> 1
    const extra = this.#extra(bits)
    return extra < 0 ? -1 : (((symbol & 1) + 2) << bits) + extra + 1
  }
}
