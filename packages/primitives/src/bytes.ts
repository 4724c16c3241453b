import { CodecError } from './errors.ts'

export const EMPTY_BYTES = new Uint8Array(0)

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    out.set(part, offset)
    offset += part.length
  }
  return out
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Lexicographic order, as in LevelDB and the trie. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const diff = (a[i] as number) - (b[i] as number)
    if (diff !== 0) return diff
  }
  return a.length - b.length
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const PIECE_BYTES = 6
const PIECE_BITS = 48n

/** Big-endian; empty is 0. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes
  let start = 0
  while (start < length && bytes[start] === 0) start++
  if (length - start <= PIECE_BYTES) return BigInt(smallNumber(bytes, start, length))
  let end = start + ((length - start) % PIECE_BYTES)
  let value = BigInt(smallNumber(bytes, start, end))
  for (; end < length; end += PIECE_BYTES) value = (value << PIECE_BITS) | BigInt(smallNumber(bytes, end, end + PIECE_BYTES))
  return value
}

function smallNumber(bytes: Uint8Array, from: number, to: number): number {
  let value = 0
  for (let i = from; i < to; i++) value = value * 256 + (bytes[i] as number)
  return value
}

/** Big-endian. Throws CodecError `codec/number` above 2^53-1. */
export function bytesToNumber(bytes: Uint8Array): number {
  if (bytes.length <= 6) return smallNumber(bytes, 0, bytes.length)
  const value = bytesToBigint(bytes)
  if (value > MAX_SAFE) {
    throw new CodecError('codec/number', `expected a number up to 2^53-1, got ${value}`)
  }
  return Number(value)
}

/** Throws CodecError `codec/number` when the value does not fit. */
export function bigintToBytes(value: bigint, length: number): Uint8Array {
  const out = new Uint8Array(length)
  let rest = value
  let end = length
  for (; rest > MAX_SAFE && end >= PIECE_BYTES; end -= PIECE_BYTES) {
    writeNumber(out, end - PIECE_BYTES, end, Number(BigInt.asUintN(48, rest)))
    rest >>= PIECE_BITS
  }
  if (rest < 0n || rest > MAX_SAFE || !writeNumber(out, 0, end, Number(rest))) throw tooLarge(value, length)
  return out
}

export function numberToBytes(value: number, length: number): Uint8Array {
  const out = new Uint8Array(length)
  if (!Number.isSafeInteger(value) || value < 0 || !writeNumber(out, 0, length, value)) throw tooLarge(value, length)
  return out
}

function writeNumber(out: Uint8Array, from: number, to: number, value: number): boolean {
  let rest = value
  for (let at = to - 1; rest > 0; at--) {
    if (at < from) return false
    out[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return true
}

const tooLarge = (value: bigint | number, length: number) => new CodecError('codec/number', `${value} does not fit ${length} bytes`)

/** Shortest big-endian form; zero is empty, as in RLP. */
export function bigintToMinimalBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  if (value < 0n) throw new CodecError('codec/number', `expected a non-negative number, got ${value}`)
  if (value <= MAX_SAFE) return minimalBytes(Number(value))
  const hex = value.toString(16)
  return bigintToBytes(value, (hex.length + 1) >> 1)
}

export function numberToMinimalBytes(value: number): Uint8Array {
  return Number.isSafeInteger(value) && value > 0 ? minimalBytes(value) : bigintToMinimalBytes(BigInt(value))
}

function minimalBytes(value: number): Uint8Array {
  let length = 1
  for (let rest = value; rest >= 256; rest = Math.floor(rest / 256)) length++
  const out = new Uint8Array(length)
  for (let i = length - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) out[i] = rest % 256
  return out
}

/** Throws CodecError `codec/number` when the input is longer. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  if (bytes.length > length) throw new CodecError('codec/number', `${bytes.length} bytes do not fit ${length}`)
  const out = new Uint8Array(length)
  out.set(bytes, length - bytes.length)
  return out
}

export function utf8ToBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
