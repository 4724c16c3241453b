export interface Varint {
  readonly value: number
  readonly next: number
}

const MOST_BYTES = 7

/** Little-endian, seven bits a byte. Throws RangeError beyond the bytes and above 2^49. */
export function readVarint(bytes: Uint8Array, from: number): Varint {
  let value = 0
  for (let i = 0; i < MOST_BYTES; i++) {
    const byte = bytes[from + i]
    if (byte === undefined) break
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, next: from + i + 1 }
  }
  throw new RangeError(`no number at byte ${from}`)
}
