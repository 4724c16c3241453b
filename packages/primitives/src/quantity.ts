/** Quantities (hex without leading zeroes) and data (two digits per byte). execution-apis src/schemas/base-types.yaml */
import { CodecError } from './errors.ts'
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes, toAddress, toHash } from './hex.ts'

const QUANTITY = /^0x(0|[1-9a-fA-F][0-9a-fA-F]*)$/
const MAX_QUANTITY_DIGITS = 64

export function formatQuantity(value: bigint | number): Hex {
  if (value < 0) throw new CodecError('codec/number', `expected a non-negative number, got ${value}`)
  return `0x${value.toString(16)}`
}

/** Accepts values below 2^256. Throws CodecError `codec/number`. */
export function parseQuantity(value: unknown, what = 'quantity'): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) {
    throw new CodecError('codec/number', `${what}: expected a hex number like "0x0" or "0x1a" without leading zeroes, got ${show(value)}`)
  }
  if (value.length > 2 + MAX_QUANTITY_DIGITS) throw new CodecError('codec/number', `${what}: ${show(value)} is above 2^256-1`)
  return BigInt(value)
}

/** Accepts values up to 2^64-1. Throws CodecError `codec/number`. */
export function parseQuantity64(value: unknown, what = 'quantity'): bigint {
  const parsed = parseQuantity(value, what)
  if (parsed >> 64n !== 0n) throw new CodecError('codec/number', `${what}: ${show(value)} is above 2^64-1`)
  return parsed
}

/** Accepts values up to 2^53-1. Throws CodecError `codec/number`. */
export function parseQuantityNumber(value: unknown, what = 'quantity'): number {
  const parsed = parseQuantity(value, what)
  if (parsed > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('codec/number', `${what}: ${show(value)} is above 2^53-1`)
  return Number(parsed)
}

export function formatData(bytes: Uint8Array): Hex {
  return bytesToHex(bytes)
}

/** Without `length`, accepts any length. Throws CodecError `codec/hex`. */
export function parseData(value: unknown, what = 'data', length?: number): Uint8Array {
  if (typeof value !== 'string') throw new CodecError('codec/hex', `${what}: expected 0x-prefixed hex, got ${show(value)}`)
  const bytes = named(what, () => hexToBytes(value))
  if (length !== undefined && bytes.length !== length) {
    throw new CodecError('codec/hex', `${what}: expected ${length} bytes, got ${bytes.length}`)
  }
  return bytes
}

/** Throws CodecError `codec/hash`. */
export function parseHash(value: unknown, what = 'hash'): Hash {
  if (typeof value !== 'string') throw new CodecError('codec/hash', `${what}: expected 32 bytes of hex, got ${show(value)}`)
  return named(what, () => toHash(value))
}

/** Throws CodecError `codec/address`. */
export function parseAddress(value: unknown, what = 'address'): Address {
  if (typeof value !== 'string') throw new CodecError('codec/address', `${what}: expected 20 bytes of hex, got ${show(value)}`)
  return named(what, () => toAddress(value))
}

/** Accepts integers from 0 to 2^53-1. Throws CodecError `codec/number`. */
export function parseJsonInteger(value: unknown, what = 'number'): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new CodecError('codec/number', `${what}: expected a whole number from 0 to 2^53-1, got ${show(value)}`)
  }
  return value
}

/** Throws CodecError `codec/json`. */
export function parseJsonObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CodecError('codec/json', `${what}: expected an object, got ${show(value)}`)
  }
  return value as Record<string, unknown>
}

/** Throws CodecError `codec/json`. */
export function parseJsonArray<T>(value: unknown, what: string, parse: (element: unknown, what: string) => T): T[] {
  if (!Array.isArray(value)) throw new CodecError('codec/json', `${what}: expected a list, got ${show(value)}`)
  return value.map((element, i) => parse(element, `${what}[${i}]`))
}

/** JSON-RPC clients leave out a field or set it to null. An empty string is a value. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Returns null for a field that is not given. */
export function parseOptional<T>(value: unknown, what: string, parse: (value: unknown, what: string) => T): T | null {
  return isGiven(value) ? parse(value, what) : null
}

function named<T>(what: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof CodecError) throw new CodecError(error.code, `${what}: ${error.message}`, error.details, { cause: error })
    throw error
  }
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? typeof value)
  return text.length <= 80 ? text : `${text.slice(0, 60)}... (${text.length} characters)`
}
