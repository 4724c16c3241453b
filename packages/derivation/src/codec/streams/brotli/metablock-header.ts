/** RFC 7932 section 9.2. */
import type { PrefixCode } from '../prefix-code.ts'
import { type BrotliInput, StreamStop } from './brotli-input.ts'
import { BLOCK_LENGTHS, COMMAND_CODES } from './brotli-tables.ts'
import { readPrefixCode } from './read-prefix-code.ts'

const LITERAL_CODES = 256
const LITERAL_CONTEXT_BITS = 6
const DISTANCE_CONTEXT_BITS = 2
export const SHORT_DISTANCE_CODES = 16
const MAX_DISTANCE_BITS = 24
const ENDLESS_BLOCK = 2 ** 24

class BlockSwitch {
  readonly types: number
  readonly #typeCode: PrefixCode | null
  readonly #lengthCode: PrefixCode | null
  left = ENDLESS_BLOCK
  type = 0
  #previousType = 1

  constructor(input: BrotliInput) {
    this.types = readCount(input)
    this.#typeCode = this.types === 1 ? null : readPrefixCode(input, this.types + 2)
    this.#lengthCode = this.types === 1 ? null : readPrefixCode(input, BLOCK_LENGTHS.base.length)
    if (this.#lengthCode !== null) this.left = readBlockLength(input, this.#lengthCode)
  }

  next(input: BrotliInput): void {
    const lengthCode = this.#lengthCode
    if (this.#typeCode === null || lengthCode === null) return
    input.unit(this.#typeCode, (code) => {
      this.left = readBlockLength(input, lengthCode)
      const next = code === 0 ? this.#previousType : code === 1 ? this.type + 1 : code - 2
      this.#previousType = this.type
      this.type = next >= this.types ? next - this.types : next
    })
  }
}

function readBlockLength(input: BrotliInput, code: PrefixCode): number {
  const symbol = input.symbol(code)
  return (BLOCK_LENGTHS.base[symbol] as number) + input.bits(BLOCK_LENGTHS.extraBits[symbol] as number)
}

function readCount(input: BrotliInput): number {
  if (input.bits(1) === 0) return 1
  const bits = input.bits(3)
  return bits === 0 ? 2 : (1 << bits) + input.bits(bits) + 1
}

export interface MetablockCodes {
  readonly literalBlocks: BlockSwitch
  readonly commandBlocks: BlockSwitch
  readonly distanceBlocks: BlockSwitch
  readonly postfixBits: number
  readonly directDistanceCodes: number
  readonly contextModes: Uint8Array
  readonly literalContexts: Uint8Array
  readonly distanceContexts: Uint8Array
  readonly literalCodes: readonly PrefixCode[]
  readonly commandCodes: readonly PrefixCode[]
  readonly distanceCodes: readonly PrefixCode[]
}

export function readMetablockCodes(input: BrotliInput): MetablockCodes {
  const literalBlocks = new BlockSwitch(input)
  const commandBlocks = new BlockSwitch(input)
  const distanceBlocks = new BlockSwitch(input)
  const distanceParameters = input.bits(6)
  const postfixBits = distanceParameters & 3
  const directDistanceCodes = (distanceParameters >> 2) << postfixBits
  const contextModes = Uint8Array.from({ length: literalBlocks.types }, () => input.bits(2))
  const literals = readContextMap(input, literalBlocks.types << LITERAL_CONTEXT_BITS)
  const distances = readContextMap(input, distanceBlocks.types << DISTANCE_CONTEXT_BITS)
  const distanceAlphabet = SHORT_DISTANCE_CODES + directDistanceCodes + (MAX_DISTANCE_BITS << (postfixBits + 1))
  const readCodes = (count: number, alphabet: number) => Array.from({ length: count }, () => readPrefixCode(input, alphabet))
  return {
    literalBlocks,
    commandBlocks,
    distanceBlocks,
    postfixBits,
    directDistanceCodes,
    contextModes,
    literalContexts: literals.map,
    distanceContexts: distances.map,
    literalCodes: readCodes(literals.codes, LITERAL_CODES),
    commandCodes: readCodes(commandBlocks.types, COMMAND_CODES),
    distanceCodes: readCodes(distances.codes, distanceAlphabet),
  }
}

/** RFC 7932 section 7.3. */
function readContextMap(input: BrotliInput, size: number): { readonly map: Uint8Array; readonly codes: number } {
  const map = new Uint8Array(size)
  const codes = readCount(input)
  if (codes === 1) return { map, codes }
  input.require(5)
  const maxRunPrefix = input.peek(1) === 1 ? (input.peek(5) >> 1) + 1 : 0
  input.drop(maxRunPrefix > 0 ? 5 : 1)
  const code = readPrefixCode(input, codes + maxRunPrefix)
  for (let at = 0; at < size; ) {
    const symbol = input.symbol(code)
    if (symbol === 0) at++
    else if (symbol > maxRunPrefix) map[at++] = symbol - maxRunPrefix
    else {
      at += (1 << symbol) + input.bits(symbol)
      if (at > size) throw new StreamStop('corrupt')
    }
  }
  if (input.bits(1) === 1) undoMoveToFront(map)
  return { map, codes }
}

function undoMoveToFront(map: Uint8Array): void {
  const recent = Uint8Array.from({ length: 256 }, (_, i) => i)
  for (let at = 0; at < map.length; at++) {
    const index = map[at] as number
    const value = recent[index] as number
    map[at] = value
    recent.copyWithin(1, 0, index)
    recent[0] = value
  }
}
