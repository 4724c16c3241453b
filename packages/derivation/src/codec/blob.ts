/**
 * A blob has 4,096 field elements of 254 usable bits; four elements hold 127 bytes. protocol/ecotone/derivation.md#blob-encoding
 */
import { bigintToBytes, CodecError } from '@keelson/primitives'

export const BLOB_BYTES = 131_072
export const MAX_BLOB_DATA_BYTES = 130_044
const ENCODING_VERSION = 0
const GROUPS = 1024
const GROUP_BLOB_BYTES = 128
const GROUP_DATA_BYTES = 127
const HEADER_BYTES = 4

/** Throws CodecError `codec/blob`. */
export function encodeBlob(data: Uint8Array): Uint8Array {
  if (data.length > MAX_BLOB_DATA_BYTES) {
    throw new CodecError('codec/blob', `${data.length} bytes do not fit a blob of ${MAX_BLOB_DATA_BYTES}`)
  }
  const stream = new Uint8Array(GROUPS * GROUP_DATA_BYTES)
  stream[0] = ENCODING_VERSION
  stream.set(bigintToBytes(BigInt(data.length), 3), 1)
  stream.set(data, HEADER_BYTES)
  const blob = new Uint8Array(BLOB_BYTES)
  for (let group = 0; group < GROUPS; group++) {
    const from = group * GROUP_DATA_BYTES
    const to = group * GROUP_BLOB_BYTES
    // x, y and z fill the 6 usable bits in the first byte of each of the four elements.
    for (let element = 0; element < 4; element++) {
      blob.set(stream.subarray(from + 32 * element, from + 32 * element + 31), to + 32 * element + 1)
    }
    const x = stream[from + 31] as number
    const y = stream[from + 63] as number
    const z = stream[from + 95] as number
    blob[to] = x & 0x3f
    blob[to + 32] = (y & 0x0f) | ((x & 0xc0) >> 2)
    blob[to + 64] = z & 0x3f
    blob[to + 96] = ((z & 0xc0) >> 2) | ((y & 0xf0) >> 4)
  }
  return blob
}

/**
 * op-node (blob.go, `ToData`) and kona ignore the top bits of the first field element; the specification requires zeros. Throws
 * CodecError `codec/blob`.
 */
export function decodeBlob(blob: Uint8Array): Uint8Array {
  if (blob.length !== BLOB_BYTES) throw new CodecError('codec/blob', `expected a blob of ${BLOB_BYTES} bytes, got ${blob.length}`)
  const version = blob[1] as number
  if (version !== ENCODING_VERSION) throw new CodecError('codec/blob', `blob encoding version ${version} is not known`)
  const stream = new Uint8Array(GROUPS * GROUP_DATA_BYTES)
  for (let group = 0; group < GROUPS; group++) decodeGroup(blob, group * GROUP_BLOB_BYTES, stream, group * GROUP_DATA_BYTES)
  const length = ((stream[1] as number) << 16) | ((stream[2] as number) << 8) | (stream[3] as number)
  if (length > MAX_BLOB_DATA_BYTES) throw new CodecError('codec/blob', `blob states ${length} bytes, at most ${MAX_BLOB_DATA_BYTES}`)
  const end = HEADER_BYTES + length
  for (let i = end; i < stream.length; i++) {
    if (stream[i] !== 0) throw new CodecError('codec/blob', `blob has data after its stated ${length} bytes`)
  }
  return stream.subarray(HEADER_BYTES, end)
}

function decodeGroup(blob: Uint8Array, from: number, stream: Uint8Array, to: number): void {
  const heads = [blob[from], blob[from + 32], blob[from + 64], blob[from + 96]] as [number, number, number, number]
  const [a, b, c, d] = heads
  const checked = from === 0 ? b | c | d : a | b | c | d
  if (checked & 0xc0) throw new CodecError('codec/blob', `field element ${from / 32} or one of the next three has its top bits set`)
  for (let element = 0; element < 4; element++) {
    stream.set(blob.subarray(from + 32 * element + 1, from + 32 * element + 32), to + 32 * element)
  }
  stream[to + 31] = (a & 0x3f) | ((b & 0x30) << 2)
  stream[to + 63] = (b & 0x0f) | ((d & 0x0f) << 4)
  stream[to + 95] = (c & 0x3f) | ((d & 0x30) << 2)
}
