/** The CBOR that the compiler appends to code; its last two bytes are the length of the CBOR before them. */
import { equalBytes, hexToBytes } from '@keelson/primitives'
import type { Reference } from './compile-process.ts'

/** The key and the head of the value. */
const HASHES = [
  { key: hexToBytes('0x64697066735822'), size: 34 },
  { key: hexToBytes('0x65627a7a72315820'), size: 32 },
]
/** The key `solc` and the head of three bytes. */
const VERSION = hexToBytes('0x64736f6c6343')
const VERSION_BYTES = 3

export function findMetadataHash(code: Uint8Array): Reference | null {
  for (const { key, size } of HASHES) {
    const start = findInTrailer(code, key, size)
    if (start !== null) return { start, length: size }
  }
  return null
}

/** The version that the code says it was compiled with, such as 0.8.37; null if it says none. */
export function compilerVersionOf(code: Uint8Array): string | null {
  const start = findInTrailer(code, VERSION, VERSION_BYTES)
  return start === null ? null : code.subarray(start, start + VERSION_BYTES).join('.')
}

/** Where the value after `key` starts. */
function findInTrailer(code: Uint8Array, key: Uint8Array, size: number): number | null {
  const end = code.length - 2
  const start = end - (((code[end] ?? 0) << 8) | (code[end + 1] ?? 0))
  if (start < 0) return null
  for (let at = start; at + key.length + size <= end; at++) {
    if (equalBytes(code.subarray(at, at + key.length), key)) return at + key.length
  }
  return null
}
