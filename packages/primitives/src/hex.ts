/**
 * Hex text and its branded forms. Hashes and addresses travel as lower-case hex wherever they are
 * compared, printed or used as map keys; payloads are bytes.
 */
import { CodecError } from './errors.ts'

export type Brand<T, B extends string> = T & { readonly __brand: B }
export type Hex = `0x${string}`
/** 32 bytes, lower-case hex. */
export type Hash = Brand<Hex, 'Hash'>
/** 20 bytes, lower-case hex (never the checksummed form). */
export type Address = Brand<Hex, 'Address'>
/** A view of 20 or 32 bytes; the length is checked where it enters. */
export type Bytes20 = Uint8Array
export type Bytes32 = Uint8Array

const BYTE_TO_HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

export function bytesToHex(bytes: Uint8Array): Hex {
  let out = '0x'
  for (let i = 0; i < bytes.length; i++) out += BYTE_TO_HEX[bytes[i] as number]
  return out as Hex
}

/** Value of one hex digit's character code, or -1. */
function nibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  if (code >= 65 && code <= 70) return code - 55
  return -1
}

/** Strict: needs the 0x prefix and an even number of digits. Throws CodecError `codec/hex`. */
export function hexToBytes(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !(hex.startsWith('0x') || hex.startsWith('0X'))) {
    throw new CodecError('codec/hex', `expected 0x-prefixed hex with an even number of digits, got "${abbreviate(hex)}"`)
  }
  const out = new Uint8Array(hex.length / 2 - 1)
  for (let i = 0; i < out.length; i++) {
    const hi = nibble(hex.charCodeAt(2 + 2 * i))
    const lo = nibble(hex.charCodeAt(3 + 2 * i))
    if (hi < 0 || lo < 0) throw new CodecError('codec/hex', `not a hex digit in "${abbreviate(hex)}"`)
    out[i] = hi * 16 + lo
  }
  return out
}

export function isHex(value: unknown, byteLength?: number): value is Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]*$/.test(value) || value.length % 2 !== 0) return false
  return byteLength === undefined || value.length === 2 + 2 * byteLength
}

/** Checks and lower-cases. Throws CodecError `codec/hash`. */
export function toHash(value: string | Uint8Array): Hash {
  const hex = typeof value === 'string' ? value : bytesToHex(value)
  if (!isHex(hex, 32)) throw new CodecError('codec/hash', `expected 32 bytes of hex, got "${abbreviate(hex)}"`)
  return hex.toLowerCase() as Hash
}

/** Checks and lower-cases; the mixed-case checksum is not verified. Throws CodecError `codec/address`. */
export function toAddress(value: string | Uint8Array): Address {
  const hex = typeof value === 'string' ? value : bytesToHex(value)
  if (!isHex(hex, 20)) throw new CodecError('codec/address', `expected 20 bytes of hex, got "${abbreviate(hex)}"`)
  return hex.toLowerCase() as Address
}

function abbreviate(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 60)}... (${text.length} characters)`
}
