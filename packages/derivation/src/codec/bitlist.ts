/** Standard bitlists of span batches: a big-endian integer, left-padded to whole bytes; item 0 is the lowest bit. */
import type { ByteReader } from './byte-reader.ts'

/** One 0 or 1 per item. */
export type Bits = Uint8Array

export function encodeBitlist(bits: Bits): Uint8Array {
  const out = new Uint8Array((bits.length + 7) >> 3)
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === 1) {
      const at = out.length - 1 - (i >> 3)
      out[at] = (out[at] as number) | (1 << (i & 7))
    }
  }
  return out
}

/** Fails when a bit past `length` is set. */
export function readBitlist(reader: ByteReader, length: number, what: string): Bits {
  const bytes = reader.bytes((length + 7) >> 3, what)
  const bits = new Uint8Array(length)
  for (let i = 0; i < length; i++) bits[i] = ((bytes[bytes.length - 1 - (i >> 3)] as number) >> (i & 7)) & 1
  if (length % 8 !== 0 && (bytes[0] as number) >> (length % 8) !== 0) reader.fail(`${what}: a bit past item ${length} is set`)
  return bits
}

export function countBits(bits: Bits): number {
  let count = 0
  for (const bit of bits) count += bit
  return count
}
