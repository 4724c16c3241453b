/** Snappy's framing format. google/snappy, framing_format.txt */

import { concatBytes, crc32c } from '@keelson/primitives'
import { snappyCompress, snappyStatedLength } from '@keelson/runtime/snappy'
import { snappyDecompress } from '../gossip/snappy-block.ts'

const STREAM_IDENTIFIER = Uint8Array.of(0xff, 6, 0, 0, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59)
const COMPRESSED = 0x00
const UNCOMPRESSED = 0x01
/** Decoders skip chunks of unknown type from this value on, and fail on unknown types below it. */
const FIRST_SKIPPABLE = 0x80
const IDENTIFIER_TYPE = 0xff
const HEADER_BYTES = 4
const CHECKSUM_BYTES = 4
const MAX_CHUNK_BYTES = 65_536
/** The longest answer needs about a 25th of this many chunks. */
const MAX_CHUNKS = 4_096
const MASK_DELTA = 0xa282ead8

export function snappyFrames(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [STREAM_IDENTIFIER]
  for (let at = 0; at < data.length; at += MAX_CHUNK_BYTES) {
    const plain = data.subarray(at, at + MAX_CHUNK_BYTES)
    const packed = snappyCompress(plain)
    const smaller = packed.length < plain.length
    parts.push(chunk(smaller ? COMPRESSED : UNCOMPRESSED, plain, smaller ? packed : plain))
  }
  return concatBytes(...parts)
}

export function snappyUnframe(data: Uint8Array, maxBytes: number): Uint8Array | null {
  const parts: Uint8Array[] = []
  let total = 0
  for (const part of unframed(data)) {
    if (part === null) return null
    total += part.length
    if (total > maxBytes) return null
    parts.push(part)
  }
  return concatBytes(...parts)
}

export function snappyUnframeFirst(data: Uint8Array): Uint8Array | null {
  for (const part of unframed(data)) if (part === null || part.length > 0) return part
  return null
}

/** At a malformed chunk, yields null and ends. */
function* unframed(data: Uint8Array): Generator<Uint8Array | null> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let identified = false
  let chunks = 0
  for (let at = 0; at < data.length; ) {
    const end = at + HEADER_BYTES > data.length ? Number.POSITIVE_INFINITY : at + HEADER_BYTES + (view.getUint32(at, true) >>> 8)
    if (end > data.length || ++chunks > MAX_CHUNKS) return yield null
    const type = view.getUint8(at)
    const body = data.subarray(at + HEADER_BYTES, end)
    if (type === IDENTIFIER_TYPE) {
      if (!data.subarray(at, end).every((byte, i) => byte === STREAM_IDENTIFIER[i])) return yield null
      identified = true
    } else if (!identified) {
      return yield null
    } else if (type === COMPRESSED || type === UNCOMPRESSED) {
      const plain = openChunk(type, body)
      yield plain
      if (plain === null) return
    } else if (type < FIRST_SKIPPABLE) {
      return yield null
    }
    at = end
  }
  if (!identified) yield null
}

function chunk(type: number, plain: Uint8Array, body: Uint8Array): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES + CHECKSUM_BYTES + body.length)
  const view = new DataView(out.buffer)
  view.setUint32(0, ((CHECKSUM_BYTES + body.length) << 8) | type, true)
  view.setUint32(HEADER_BYTES, maskedChecksum(plain), true)
  out.set(body, HEADER_BYTES + CHECKSUM_BYTES)
  return out
}

function openChunk(type: number, body: Uint8Array): Uint8Array | null {
  if (body.length < CHECKSUM_BYTES) return null
  const content = body.subarray(CHECKSUM_BYTES)
  const length = type === COMPRESSED ? snappyStatedLength(content) : content.length
  if (length === null || length > MAX_CHUNK_BYTES) return null
  const plain = type === COMPRESSED ? snappyDecompress(content) : content
  if (plain === null) return null
  const stated = new DataView(body.buffer, body.byteOffset).getUint32(0, true)
  return stated === maskedChecksum(plain) ? plain : null
}

/** The format masks checksums, because checksums of data with embedded checksums are weak. */
function maskedChecksum(plain: Uint8Array): number {
  const crc = crc32c(plain)
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}
