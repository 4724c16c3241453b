/** A big-endian integer, left-padded to whole bytes; item 0 is the lowest bit. */
import type { ByteReader } from '../bytes/byte-reader.ts'

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
export function readPackedBits(reader: ByteReader, length: number, what: string): Uint8Array {
  const packed = reader.bytes((length + 7) >> 3, what)
  if (length % 8 !== 0 && (packed[0] as number) >> (length % 8) !== 0) reader.fail(`${what}: a bit past item ${length} is set`)
  return packed
}

export function packedBitAt(packed: Uint8Array, item: number): number {
  return ((packed[packed.length - 1 - (item >> 3)] as number) >> (item & 7)) & 1
}

export function countPackedBits(packed: Uint8Array): number {
  let count = 0
  for (let i = 0; i < packed.length; i++) for (let rest = packed[i] as number; rest !== 0; rest &= rest - 1) count++
  return count
}

export function readBitlist(reader: ByteReader, length: number, what: string): Bits {
  const packed = readPackedBits(reader, length, what)
  const bits = new Uint8Array(length)
  for (let i = 0; i < length; i++) bits[i] = packedBitAt(packed, i)
  return bits
}

export function countBits(bits: Bits): number {
  let count = 0
  for (const bit of bits) count += bit
  return count
}
