/** Hashes and addresses are lower-case, so that they compare as strings. */
import { CodecError } from './errors.ts'

export type Brand<T, B extends string> = T & { readonly __brand: B }
export type Hex = `0x${string}`
/** 32 bytes, lower-case hex. */
export type Hash = Brand<Hex, 'Hash'>
/** 20 bytes, lower-case hex, without checksum. */
export type Address = Brand<Hex, 'Address'>
/** Arrays of 20 or 32 bytes, checked on input. */
export type Bytes20 = Uint8Array
export type Bytes32 = Uint8Array

const DIGIT_CODES = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const DIGIT_VALUES = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()))
/** Limits the number of arguments of `String.fromCharCode`. */
const TEXT_CHUNK_BYTES = 4_096

export function bytesToHex(bytes: Uint8Array): Hex {
  let out = hexText('0x', bytes, 0, Math.min(bytes.length, TEXT_CHUNK_BYTES))
  for (let from = TEXT_CHUNK_BYTES; from < bytes.length; from += TEXT_CHUNK_BYTES) {
    out += hexText('', bytes, from, Math.min(bytes.length, from + TEXT_CHUNK_BYTES))
  }
  return out as Hex
}

/** Appending digits would create a string per digit. */
function hexText(prefix: '' | '0x', bytes: Uint8Array, from: number, to: number): string {
  const codes = new Array<number>(prefix.length + 2 * (to - from))
  for (let i = 0; i < prefix.length; i++) codes[i] = prefix.charCodeAt(i)
  for (let i = from, at = prefix.length; i < to; i++, at += 2) {
    const byte = bytes[i] as number
    codes[at] = DIGIT_CODES[byte >> 4] as number
    codes[at + 1] = DIGIT_CODES[byte & 15] as number
  }
  return String.fromCharCode.apply(null, codes)
}

/** Requires the 0x prefix and an even number of digits. Throws CodecError `codec/hex`. */
export function hexToBytes(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !(hex.startsWith('0x') || hex.startsWith('0X'))) {
    throw new CodecError('codec/hex', `expected 0x-prefixed hex with an even number of digits, got "${abbreviate(hex)}"`)
  }
  const out = new Uint8Array(hex.length / 2 - 1)
  let seen = 0
  for (let i = 0, at = 2; i < out.length; i++, at += 2) {
    const byte = (digitValue(hex.charCodeAt(at)) << 4) | digitValue(hex.charCodeAt(at + 1))
    // Becomes negative at an invalid digit.
    seen |= byte
    out[i] = byte
  }
  if (seen < 0) throw new CodecError('codec/hex', `not a hex digit in "${abbreviate(hex)}"`)
  return out
}

const digitValue = (code: number): number => (code < 128 ? (DIGIT_VALUES[code] as number) : -1)

export function isHex(value: unknown, byteLength?: number): value is Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value) || value.length % 2 !== 0) return false
  return byteLength === undefined || value.length === 2 + 2 * byteLength
}

/** Throws CodecError `codec/hash`. */
export function toHash(value: string | Uint8Array): Hash {
  if (typeof value !== 'string' && value.length === 32) return bytesToHex(value) as Hash
  const hex = typeof value === 'string' ? value : bytesToHex(value)
  if (!isHex(hex, 32)) throw new CodecError('codec/hash', `expected 32 bytes of hex, got "${abbreviate(hex)}"`)
  return hex.toLowerCase() as Hash
}

/** Ignores the checksum. Throws CodecError `codec/address`. */
export function toAddress(value: string | Uint8Array): Address {
  if (typeof value !== 'string' && value.length === 20) return bytesToHex(value) as Address
  const hex = typeof value === 'string' ? value : bytesToHex(value)
  if (!isHex(hex, 20)) throw new CodecError('codec/address', `expected 20 bytes of hex, got "${abbreviate(hex)}"`)
  return hex.toLowerCase() as Address
}

function abbreviate(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}... (${text.length} characters)`
}
