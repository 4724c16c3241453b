/**
 * Recursive Length Prefix, strict in both directions: one encoding per value, so decoding refuses
 * non-minimal lengths and trailing bytes. Ethereum yellow paper, appendix B.
 */
import { bigintToMinimalBytes, bytesToBigint, bytesToNumber, concatBytes, numberToMinimalBytes } from './bytes.ts'
import { CodecError } from './errors.ts'

/** What a decoder yields: a byte string (a view into the input) or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[]
/** What an encoder takes; numbers are written as minimal big-endian integers. */
export type RlpInput = Uint8Array | bigint | number | readonly RlpInput[]

const MAX_DEPTH = 64

export function rlpEncode(input: RlpInput): Uint8Array {
  const plan: EncodingPlan = { payloads: [], strings: [] }
  const out = new Uint8Array(planned(input, plan))
  write(input, out, 0, plan, { payload: 0, string: 0 })
  return out
}

/** Wraps items that are already RLP into a list. */
export function rlpEncodeList(encodedItems: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of encodedItems) length += item.length
  const head = new Uint8Array(headSize(length))
  writeHead(head, 0, length, 0xc0)
  return concatBytes(head, ...encodedItems)
}

function toBytes(input: Uint8Array | bigint | number): Uint8Array {
  if (typeof input === 'bigint') return bigintToMinimalBytes(input)
  if (typeof input === 'number') return numberToMinimalBytes(input)
  return input
}

function isList(input: RlpInput): input is readonly RlpInput[] {
  return Array.isArray(input)
}

function headSize(length: number): number {
  return length < 56 ? 1 : 1 + byteLength(length)
}

function byteLength(value: number): number {
  let n = 1
  for (let v = value; v >= 256; v = Math.floor(v / 256)) n++
  return n
}

/** What the first pass finds out and the second writes, in the order of the input: nothing is worked out twice. */
interface EncodingPlan {
  /** Bytes inside each list. */
  readonly payloads: number[]
  readonly strings: Uint8Array[]
}

/** Encoded size in bytes. */
function planned(input: RlpInput, plan: EncodingPlan): number {
  if (isList(input)) {
    const at = plan.payloads.push(0) - 1
    let length = 0
    for (const item of input) length += planned(item, plan)
    plan.payloads[at] = length
    return headSize(length) + length
  }
  const bytes = toBytes(input)
  plan.strings.push(bytes)
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return 1
  return headSize(bytes.length) + bytes.length
}

function writeHead(out: Uint8Array, at: number, length: number, base: number): number {
  if (length < 56) {
    out[at] = base + length
    return at + 1
  }
  const n = byteLength(length)
  out[at] = base + 55 + n
  for (let i = n, v = length; i > 0; i--, v = Math.floor(v / 256)) out[at + i] = v % 256
  return at + 1 + n
}

function write(input: RlpInput, out: Uint8Array, at: number, plan: EncodingPlan, cursor: { payload: number; string: number }): number {
  if (isList(input)) {
    let next = writeHead(out, at, plan.payloads[cursor.payload++] as number, 0xc0)
    for (const item of input) next = write(item, out, next, plan, cursor)
    return next
  }
  const bytes = plan.strings[cursor.string++] as Uint8Array
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) {
    out[at] = bytes[0] as number
    return at + 1
  }
  const next = writeHead(out, at, bytes.length, 0x80)
  out.set(bytes, next)
  return next + bytes.length
}

/** Decodes exactly one item. Throws CodecError `codec/rlp`. */
export function rlpDecode(data: Uint8Array): RlpItem {
  const { item, end } = decodeAt(data, 0, data.length, 0)
  if (end !== data.length) throw new CodecError('codec/rlp', `${data.length - end} bytes after the RLP item`)
  return item
}

/** Decodes the first item and says where it ended, for streams of items. Throws CodecError `codec/rlp`. */
export function rlpDecodeFirst(data: Uint8Array, offset = 0): { readonly item: RlpItem; readonly end: number } {
  return decodeAt(data, offset, data.length, 0)
}

function decodeAt(data: Uint8Array, at: number, limit: number, depth: number): { item: RlpItem; end: number } {
  if (at >= limit) throw new CodecError('codec/rlp', 'RLP input ends where an item should begin')
  if (depth > MAX_DEPTH) throw new CodecError('codec/rlp', `RLP nests deeper than ${MAX_DEPTH} lists`)
  const first = data[at] as number
  if (first < 0x80) return { item: data.subarray(at, at + 1), end: at + 1 }
  const list = first >= 0xc0
  const short = first - (list ? 0xc0 : 0x80)
  const { start, length } = short < 56 ? { start: at + 1, length: short } : longLength(data, at + 1, short - 55, limit)
  const end = start + length
  if (end > limit) throw new CodecError('codec/rlp', `RLP item of ${length} bytes runs past its end by ${end - limit}`)
  if (!list) {
    if (length === 1 && short === 1 && (data[start] as number) < 0x80) {
      throw new CodecError('codec/rlp', 'a single byte below 0x80 must stand for itself')
    }
    return { item: data.subarray(start, end), end }
  }
  const items: RlpItem[] = []
  let next = start
  while (next < end) {
    const inner = decodeAt(data, next, end, depth + 1)
    items.push(inner.item)
    next = inner.end
  }
  return { item: items, end }
}

function longLength(data: Uint8Array, at: number, n: number, limit: number): { start: number; length: number } {
  if (at + n > limit) throw new CodecError('codec/rlp', 'RLP length runs past the end')
  if (data[at] === 0) throw new CodecError('codec/rlp', 'RLP length has a leading zero')
  if (n > 6) throw new CodecError('codec/rlp', `RLP length of ${n} bytes is too large`)
  const length = bytesToNumber(data.subarray(at, at + n))
  if (length < 56) throw new CodecError('codec/rlp', 'RLP length below 56 must use the short form')
  return { start: at + n, length }
}

export function rlpList(item: RlpItem | undefined, what: string): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new CodecError('codec/rlp', `${what}: expected an RLP list`)
  return item
}

export function rlpBytes(item: RlpItem | undefined, what: string, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new CodecError('codec/rlp', `${what}: expected RLP bytes`)
  if (length !== undefined && item.length !== length) {
    throw new CodecError('codec/rlp', `${what}: expected ${length} bytes, got ${item.length}`)
  }
  return item
}

/** An integer without leading zeroes, at most `maxBytes` long. */
export function rlpBigint(item: RlpItem | undefined, what: string, maxBytes = 32): bigint {
  const bytes = rlpBytes(item, what)
  if (bytes[0] === 0) throw new CodecError('codec/rlp', `${what}: integer with a leading zero`)
  if (bytes.length > maxBytes) throw new CodecError('codec/rlp', `${what}: integer of ${bytes.length} bytes, at most ${maxBytes}`)
  return bytesToBigint(bytes)
}

export function rlpNumber(item: RlpItem | undefined, what: string): number {
  const value = rlpBigint(item, what, 8)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new CodecError('codec/rlp', `${what}: ${value} is above 2^53-1`)
  return Number(value)
}
