/**
 * RFC 7932. Records when op-node's decoder (github.com/andybalholm/brotli) returns output. On an error that decoder drops output
 * not yet returned, which decides the batches of a damaged channel.
 */
import type { Scan } from '../../bytes/scan.ts'
import { GrowingBytes } from '../growing-bytes.ts'
import type { PrefixCode } from '../prefix-code.ts'
import { StepBudget } from '../step-budget.ts'
import { BrotliInput, StreamStop } from './brotli-input.ts'
import { COMMANDS, CONTEXT_MODES, type ContextMode, MAX_WORD_BYTES, MIN_WORD_BYTES, WORD_OFFSETS, wordNumberBits } from './brotli-tables.ts'
import { LastDistances } from './last-distances.ts'
import { type MetablockCodes, readMetablockCodes, SHORT_DISTANCE_CODES } from './metablock-header.ts'
import { TRANSFORM_COUNT, transformWord } from './transforms.ts'

/** A distance is at most the window size less this gap. */
const WINDOW_GAP = 16
const MIN_RING_BYTES = 1024
const MAX_DISTANCE = 0x7ffffffc
const LAST_DISTANCE = 0
const LITERALS_PER_PASS = 16 * 1024
const COPY_PER_PASS = 256 * 1024
/** Cost of reading a metablock's codes and context maps, expressed in output bytes. */
const METABLOCK_COST_BYTES = 16 * 1024

/**
 * Output up to `at` becomes readable. The decoder continues at once (`soft`), in the same read once all output is taken (`full`),
 * or in the next read (`hard`).
 */
export interface Offer {
  readonly kind: 'soft' | 'full' | 'hard'
  readonly at: number
}
export type BrotliEnd = 'complete' | 'limit' | 'corrupt'

export class BrotliDecoder {
  readonly output = new GrowingBytes()
  readonly offers: Offer[] = []
  readonly #input: BrotliInput
  readonly #dictionary: Uint8Array
  readonly #maxBytes: number
  readonly #distances = new LastDistances()
  readonly #budget = new StepBudget()
  #windowBytes = 0
  #ringStart = 0
  #ringBytes = 0
  #left = 0

  constructor(data: Uint8Array, dictionary: Uint8Array, maxBytes: number) {
    this.#dictionary = dictionary
    this.#maxBytes = maxBytes
    this.#input = new BrotliInput(data, (kind) => this.#offer(kind, this.output.length))
  }

  get consumedBytes(): number {
    return this.#input.consumedBytes
  }

  /** True if the reference decoder, at the last output, has buffered bytes after the end of the stream. */
  get noticesExcess(): boolean {
    return this.#input.hasExcess
  }

  *run(): Scan<BrotliEnd> {
    try {
      this.#windowBytes = 1 << this.#readWindowBits()
      while (!(yield* this.#metablock())) {
        if (this.#budget.spend(METABLOCK_COST_BYTES)) yield
      }
      if (!this.#input.align()) return 'corrupt'
      this.#offer('full', this.output.length)
      return 'complete'
    } catch (error) {
      if (error instanceof StreamStop) return error.end
      throw error
    }
  }

  #offer(kind: Offer['kind'], at: number): void {
    const last = this.offers.at(-1)
    if (last === undefined || last.kind !== kind || last.at !== at) this.offers.push({ kind, at })
    if (kind !== 'soft' && at > this.#maxBytes) throw new StreamStop('limit')
  }

  #readWindowBits(): number {
    const input = this.#input
    input.require(8)
    if (input.bits(1) === 0) return 16
    const large = input.bits(3)
    if (large > 0) return 17 + large
    const small = input.bits(3)
    if (small === 1) throw new StreamStop('corrupt')
    return small === 0 ? 17 : 8 + small
  }

  *#metablock(): Scan<boolean> {
    const input = this.#input
    const isLast = input.bits(1) === 1
    if (isLast && input.bits(1) === 1) return true
    const nibbles = 4 + input.bits(2)
    if (nibbles === 7) {
      this.#skipMetadata()
      return isLast
    }
    this.#left = this.#readSize(nibbles, 4)
    const isUncompressed = !isLast && input.bits(1) === 1
    if (isUncompressed && !input.align()) throw new StreamStop('corrupt')
    const ringBytes = this.#ringBytesFor(this.output.length - this.#ringStart + this.#left)
    if (isUncompressed) {
      this.#ringBytes = ringBytes
      yield* this.#copyUncompressed()
      return false
    }
    const codes = readMetablockCodes(input)
    this.#ringBytes = ringBytes
    yield* this.#runCommands(codes)
    return isLast
  }

  /** A size must use its shortest form: the last part must not be zero. */
  #readSize(parts: number, bits: number): number {
    let size = 0
    for (let i = 0; i < parts; i++) {
      const part = this.#input.bits(bits)
      if (part === 0 && i === parts - 1 && parts * bits > (bits === 4 ? 16 : 8)) throw new StreamStop('corrupt')
      size |= part << (i * bits)
    }
    return size + 1
  }

  #skipMetadata(): void {
    const input = this.#input
    if (input.bits(1) === 1) throw new StreamStop('corrupt')
    const parts = input.bits(2)
    let left = parts === 0 ? 0 : this.#readSize(parts, 8)
    if (!input.align()) throw new StreamStop('corrupt')
    while (left > 0) left -= input.bytes(left).length
  }

  /** The reference decoder allocates the smallest ring buffer that holds the metablock. */
  #ringBytesFor(needed: number): number {
    if (this.#ringBytes === this.#windowBytes) return this.#windowBytes
    const least = Math.max(this.#ringBytes, MIN_RING_BYTES, needed)
    let ringBytes = this.#windowBytes
    while (ringBytes >> 1 >= least) ringBytes >>= 1
    return ringBytes
  }

  #ringFull(): void {
    const end = this.#ringStart + this.#ringBytes
    if (this.#ringBytes < this.#windowBytes) {
      this.#offer('soft', end)
      return
    }
    this.#offer('full', end)
    this.#ringStart = end
  }

  get #ringLeft(): number {
    return this.#ringStart + this.#ringBytes - this.output.length
  }

  *#copyUncompressed(): Scan<void> {
    while (this.#left > 0) {
      const part = this.#input.bytes(Math.min(this.#left, this.#ringLeft))
      this.output.append(part)
      this.#left -= part.length
      if (this.#ringLeft === 0 && this.#ringBytes === this.#windowBytes) this.#ringFull()
      if (this.#budget.spend(part.length)) yield
    }
  }

  #spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw new StreamStop('corrupt')
  }

  *#runCommands(codes: MetablockCodes): Scan<void> {
    const input = this.#input
    const { commandBlocks } = codes
    while (this.#left > 0) {
      if (commandBlocks.left === 0) commandBlocks.next(input)
      let insertLength = 0
      let copyLength = 0
      const command = input.unit(codes.commandCodes[commandBlocks.type] as PrefixCode, (code) => {
        const command = COMMANDS[code] as (typeof COMMANDS)[number]
        insertLength = command.insertBase + input.bits(command.insertExtraBits)
        copyLength = command.copyBase + input.bits(command.copyExtraBits)
        return command
      })
      commandBlocks.left--
      if (insertLength > 0) {
        this.#spend(insertLength)
        for (let left = insertLength; left > 0; left -= LITERALS_PER_PASS) {
          this.#insertLiterals(codes, Math.min(left, LITERALS_PER_PASS))
          if (this.#budget.spend(Math.min(left, LITERALS_PER_PASS))) yield
        }
        if (this.#left === 0) return
      }
      const code = command.usesLastDistance ? LAST_DISTANCE : this.#readDistance(codes, command.distanceContext)
      const distance = this.#startCopy(code, copyLength)
      for (let left = distance === null ? 0 : copyLength; left > 0; left -= COPY_PER_PASS) {
        this.#copyBack(distance as number, Math.min(left, COPY_PER_PASS))
        if (this.#budget.spend(Math.min(left, COPY_PER_PASS))) yield
      }
    }
  }

  #insertLiterals(codes: MetablockCodes, count: number): void {
    const { literalBlocks, literalContexts, literalCodes, contextModes } = codes
    const { output } = this
    output.reserve(count)
    let mode = CONTEXT_MODES[contextModes[literalBlocks.type] as number] as ContextMode
    for (let i = 0; i < count; i++) {
      if (literalBlocks.left === 0) {
        literalBlocks.next(this.#input)
        mode = CONTEXT_MODES[contextModes[literalBlocks.type] as number] as ContextMode
      }
      const last = output.bytes[output.length - 1] ?? 0
      const beforeLast = output.bytes[output.length - 2] ?? 0
      const context = (mode.last[last] as number) | (mode.beforeLast[beforeLast] as number)
      const code = literalContexts[literalBlocks.type * 64 + context] as number
      output.bytes[output.length] = this.#input.symbol(literalCodes[code] as PrefixCode)
      output.length++
      literalBlocks.left--
      if (this.#ringLeft === 0) this.#ringFull()
    }
  }

  #readDistance(codes: MetablockCodes, context: number): number {
    const { distanceBlocks, distanceContexts, distanceCodes, postfixBits, directDistanceCodes } = codes
    if (distanceBlocks.left === 0) distanceBlocks.next(this.#input)
    const code = distanceContexts[distanceBlocks.type * 4 + context] as number
    const distance = this.#input.unit(distanceCodes[code] as PrefixCode, (symbol) => {
      if (symbol < SHORT_DISTANCE_CODES) return symbol === 0 ? LAST_DISTANCE : this.#distances.byShortCode(symbol)
      const far = symbol - SHORT_DISTANCE_CODES - directDistanceCodes
      if (far < 0) return symbol - SHORT_DISTANCE_CODES + 1
      const postfix = far & ((1 << postfixBits) - 1)
      const range = far >> postfixBits
      const bits = (range >> 1) + 1
      const offset = ((2 + (range & 1)) << bits) - 4
      return directDistanceCodes + ((offset + this.#input.bits(bits)) << postfixBits) + postfix + 1
    })
    distanceBlocks.left--
    return distance
  }

  #startCopy(code: number, length: number): number | null {
    const distance = code === LAST_DISTANCE ? this.#distances.last : code
    const reach = Math.min(this.output.length, this.#windowBytes - WINDOW_GAP)
    if (distance > reach) {
      this.#copyWord(distance - reach - 1, distance, length)
      return null
    }
    if (code !== LAST_DISTANCE) this.#distances.push(distance)
    this.#spend(length)
    return distance
  }

  #copyBack(distance: number, length: number): void {
    for (let left = length; left > 0; ) {
      const part = Math.min(left, this.#ringLeft)
      this.output.copyBack(distance, part)
      left -= part
      if (this.#ringLeft === 0) this.#ringFull()
    }
  }

  #copyWord(address: number, distance: number, length: number): void {
    if (distance > MAX_DISTANCE || length < MIN_WORD_BYTES || length > MAX_WORD_BYTES) throw new StreamStop('corrupt')
    const bits = wordNumberBits(length)
    const transform = address >> bits
    if (transform >= TRANSFORM_COUNT) throw new StreamStop('corrupt')
    const from = (WORD_OFFSETS[length] as number) + (address & ((1 << bits) - 1)) * length
    const word = transformWord(this.#dictionary.subarray(from, from + length), transform)
    this.#spend(word.length)
    this.output.append(word)
    if (this.#ringLeft <= 0) this.#ringFull()
  }
}
