/** Snappy's block format, for the short index of a table. google/snappy, format_description.txt */
import { readVarint } from './varint.ts'

const MOST_BYTES = 64 * 1024 * 1024

/** Throws RangeError. */
export function uncompress(packed: Uint8Array): Uint8Array {
  const length = readVarint(packed, 0)
  if (length.value > MOST_BYTES) throw new RangeError(`a block of ${length.value} bytes`)
  const plain = new Uint8Array(length.value)
  let at = length.next
  let filled = 0
  const byteAt = (place: number): number => packed[place] ?? fail()
  while (at < packed.length) {
    const tag = byteAt(at++)
    if ((tag & 3) === 0) {
      let size = tag >> 2
      const extra = size < 60 ? 0 : size - 59
      if (extra > 0) size = littleEndian(packed, at, extra)
      at += extra
      plain.set(packed.subarray(at, at + size + 1), filled)
      at += size + 1
      filled += size + 1
      continue
    }
    const short = (tag & 3) === 1
    const size = short ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const offsetBytes = short ? 1 : (tag & 3) === 2 ? 2 : 4
    const offset = littleEndian(packed, at, offsetBytes) + (short ? (tag >> 5) * 256 : 0)
    at += offsetBytes
    if (offset === 0 || offset > filled) fail()
    // Copies may overlap what they produce.
    for (let i = 0; i < size; i++, filled++) plain[filled] = plain[filled - offset] as number
  }
  return filled === plain.length ? plain : fail()
}

function littleEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let i = 0; i < count; i++) value += (bytes[from + i] ?? fail()) * 256 ** i
  return value
}

function fail(): never {
  throw new RangeError('a compressed block cannot be read')
}
