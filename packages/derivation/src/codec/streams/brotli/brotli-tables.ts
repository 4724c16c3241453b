/** RFC 7932 sections 4 to 7. */

export interface LengthCodes {
  readonly base: readonly number[]
  readonly extraBits: readonly number[]
}

function consecutive(first: number, extraBits: readonly number[]): LengthCodes {
  const base: number[] = []
  let next = first
  for (const bits of extraBits) {
    base.push(next)
    next += 2 ** bits
  }
  return { base, extraBits }
}

export const BLOCK_LENGTHS = consecutive(1, [2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24])
const INSERT_LENGTHS = consecutive(0, [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24])
const COPY_LENGTHS = consecutive(2, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24])

const COMMAND_CELLS = [
  [0, 0],
  [0, 8],
  [0, 0],
  [0, 8],
  [8, 0],
  [8, 8],
  [0, 16],
  [16, 0],
  [8, 16],
  [16, 8],
  [16, 16],
] as const
/** Commands below this one reuse the last distance. */
const FIRST_COMMAND_WITH_DISTANCE = 128
export const COMMAND_CODES = COMMAND_CELLS.length * 64

export interface Command {
  readonly insertBase: number
  readonly insertExtraBits: number
  readonly copyBase: number
  readonly copyExtraBits: number
  readonly distanceContext: number
  readonly usesLastDistance: boolean
}

export const COMMANDS: readonly Command[] = Array.from({ length: COMMAND_CODES }, (_, code) => {
  const [insertFrom, copyFrom] = COMMAND_CELLS[code >> 6] as readonly [number, number]
  const insert = insertFrom + ((code >> 3) & 7)
  const copy = copyFrom + (code & 7)
  const copyBase = COPY_LENGTHS.base[copy] as number
  return {
    insertBase: INSERT_LENGTHS.base[insert] as number,
    insertExtraBits: INSERT_LENGTHS.extraBits[insert] as number,
    copyBase,
    copyExtraBits: COPY_LENGTHS.extraBits[copy] as number,
    distanceContext: Math.min(copyBase - 2, 3),
    usesLastDistance: code < FIRST_COMMAND_WITH_DISTANCE,
  }
})

const WORD_NUMBER_BITS = [0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5] as const
export const MIN_WORD_BYTES = 4
export const MAX_WORD_BYTES = WORD_NUMBER_BITS.length - 1

export function wordNumberBits(length: number): number {
  return WORD_NUMBER_BITS[length] as number
}

export const WORD_OFFSETS: readonly number[] = (() => {
  const offsets = new Array<number>(MAX_WORD_BYTES + 2).fill(0)
  for (let length = MIN_WORD_BYTES; length <= MAX_WORD_BYTES; length++) {
    offsets[length + 1] = (offsets[length] as number) + length * 2 ** wordNumberBits(length)
  }
  return offsets
})()
export const DICTIONARY_BYTES = WORD_OFFSETS[MAX_WORD_BYTES + 1] as number

/** Tables that map the last two bytes to context bits. */
export interface ContextMode {
  readonly last: Uint8Array
  readonly beforeLast: Uint8Array
}

// biome-ignore format: sixteen characters a line
const TEXT_CLASSES = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  8, 12, 16, 12, 12, 20, 12, 16, 24, 28, 12, 12, 32, 12, 36, 12,
  44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 32, 32, 24, 40, 28, 12,
  12, 48, 52, 52, 52, 48, 52, 52, 52, 48, 52, 52, 52, 52, 52, 48,
  52, 52, 52, 52, 52, 48, 52, 52, 52, 52, 52, 24, 12, 28, 12, 12,
  12, 56, 60, 60, 60, 56, 60, 60, 60, 56, 60, 60, 60, 60, 60, 56,
  60, 60, 60, 60, 60, 56, 60, 60, 60, 60, 60, 24, 12, 28, 12, 0,
]

function textBeforeLast(byte: number): number {
  if (byte >= 0xe0) return 2
  if (byte <= 0x20 || byte >= 0x7f) return 0
  const isDigit = byte >= 0x30 && byte <= 0x39
  const isCapital = byte >= 0x41 && byte <= 0x5a
  const isSmall = byte >= 0x61 && byte <= 0x7a
  return isSmall ? 3 : isDigit || isCapital ? 2 : 1
}

function magnitude(byte: number): number {
  const bounds = [1, 16, 64, 128, 192, 240, 255]
  return bounds.filter((bound) => byte >= bound).length
}

const byByte = (entryOf: (byte: number) => number) => Uint8Array.from({ length: 256 }, (_, byte) => entryOf(byte))
const NOTHING = new Uint8Array(256)

export const CONTEXT_MODES: readonly ContextMode[] = [
  { last: byByte((byte) => byte & 0x3f), beforeLast: NOTHING },
  { last: byByte((byte) => byte >> 2), beforeLast: NOTHING },
  {
    last: byByte((byte) => TEXT_CLASSES[byte] ?? (byte < 0xc0 ? byte & 1 : 2 + (byte & 1))),
    beforeLast: byByte(textBeforeLast),
  },
  { last: byByte((byte) => magnitude(byte) << 3), beforeLast: byByte(magnitude) },
]
