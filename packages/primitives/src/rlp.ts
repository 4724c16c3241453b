/** Recursive Length Prefix; decoding rejects non-minimal lengths and trailing bytes. Yellow paper, appendix B */
import { bigintToMinimalBytes, bytesToBigint, bytesToNumber } from './bytes.ts'
import { CodecError } from './errors.ts'

/** A byte string (a view into the input) or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[]
export type RlpInput = Uint8Array | bigint | number | readonly RlpInput[]

const MAX_DEPTH = 64

/**
 * Written from back to front, so that a list's length is known before its header. Encoding never yields, so all calls of a thread
 * share one buffer.
 */
let buffer = new Uint8Array(4_096)
let begin = 0
const KEPT_BUFFER_BYTES = 1 << 20

/** `prefix` is a byte such as a transaction type (EIP-2718). */
export function rlpEncode(input: RlpInput, prefix?: number): Uint8Array {
  begin = buffer.length
  prepend(input)
  if (prefix !== undefined) {
    reserve(1)
    buffer[--begin] = prefix
  }
  const out = buffer.slice(begin)
  if (buffer.length > KEPT_BUFFER_BYTES) buffer = new Uint8Array(4_096)
  return out
}

function prepend(input: RlpInput): void {
  if (input instanceof Uint8Array) prependBytes(input)
  else if (isList(input)) prependList(input)
  else prependInteger(input)
}

function prependList(items: readonly RlpInput[]): void {
  const after = buffer.length - begin
  for (let i = items.length - 1; i >= 0; i--) prepend(items[i] as RlpInput)
  prependHead(buffer.length - begin - after, 0xc0)
}

function prependInteger(input: bigint | number): void {
  const number = Number(input)
  if (number >= 0 && Number.isSafeInteger(number)) prependNumber(number)
  else prependBytes(bigintToMinimalBytes(BigInt(input)))
}

function prependBytes(bytes: Uint8Array): void {
  const { length } = bytes
  reserve(length)
  begin -= length
  if (length > 64) buffer.set(bytes, begin)
  else for (let i = 0; i < length; i++) buffer[begin + i] = bytes[i] as number
  if (length !== 1 || (bytes[0] as number) >= 0x80) prependHead(length, 0x80)
}

function prependNumber(value: number): void {
  reserve(8)
  const end = begin
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) buffer[--begin] = rest % 256
  if (value === 0 || value >= 0x80) prependHead(end - begin, 0x80)
}

function prependHead(length: number, base: number): void {
  const size = headSize(length)
  reserve(size)
  begin -= size
  writeHead(buffer, begin, length, base)
}

function reserve(length: number): void {
  if (length <= begin) return
  const written = buffer.subarray(begin)
  const larger = new Uint8Array(Math.max(2 * buffer.length, written.length + length))
  begin = larger.length - written.length
  larger.set(written, begin)
  buffer = larger
}

export function rlpEncodeList(encodedItems: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of encodedItems) length += item.length
  let at = headSize(length)
  const list = new Uint8Array(at + length)
  writeHead(list, 0, length, 0xc0)
  for (const item of encodedItems) {
    list.set(item, at)
    at += item.length
  }
  return list
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

function writeHead(out: Uint8Array, at: number, length: number, base: number): void {
  if (length < 56) {
    out[at] = base + length
    return
  }
  const n = byteLength(length)
  out[at] = base + 55 + n
  for (let i = n, v = length; i > 0; i--, v = Math.floor(v / 256)) out[at + i] = v % 256
}

/** Throws CodecError `codec/rlp`, also for bytes after the item. */
export function rlpDecode(data: Uint8Array): RlpItem {
  const { item, end } = decodeAt(data, 0, data.length, 0)
  if (end !== data.length) throw new CodecError('codec/rlp', `${data.length - end} bytes after the RLP item`)
  return item
}

/** Throws CodecError `codec/rlp`. */
export function rlpDecodeFirst(data: Uint8Array, offset = 0): { readonly item: RlpItem; readonly end: number } {
  return decodeAt(data, offset, data.length, 0)
}

/** Does not decode items. Throws CodecError `codec/rlp`. */
export function rlpEndOfFirst(data: Uint8Array, offset = 0): number {
  contentStart(data, offset, data.length, 0)
  return contentEnd
}

/** `data` is one item. Throws CodecError `codec/rlp`. */
export function rlpListContent(data: Uint8Array, what: string): Uint8Array {
  const start = contentStart(data, 0, data.length, 0)
  if ((data[0] as number) < 0xc0) throw new CodecError('codec/rlp', `${what}: expected an RLP list`)
  return data.subarray(start, contentEnd)
}

function decodeAt(data: Uint8Array, at: number, limit: number, depth: number): { item: RlpItem; end: number } {
  const start = contentStart(data, at, limit, depth)
  const end = contentEnd
  if ((data[at] as number) < 0xc0) return { item: data.subarray(start, end), end }
  const items: RlpItem[] = []
  for (let next = start; next < end; ) {
    const inner = decodeAt(data, next, end, depth + 1)
    items.push(inner.item)
    next = inner.end
  }
  return { item: items, end }
}

/** Second result of `contentStart`; returning an object would cost more than decoding an item. */
let contentEnd = 0

function contentStart(data: Uint8Array, at: number, limit: number, depth: number): number {
  if (at >= limit) throw new CodecError('codec/rlp', 'RLP input ends where an item should begin')
  if (depth > MAX_DEPTH) throw new CodecError('codec/rlp', `RLP nests deeper than ${MAX_DEPTH} lists`)
  const first = data[at] as number
  contentEnd = at + 1
  if (first < 0x80) return at
  const short = first - (first >= 0xc0 ? 0xc0 : 0x80)
  const lengthBytes = short < 56 ? 0 : short - 55
  const length = lengthBytes === 0 ? short : longLength(data, at + 1, lengthBytes, limit)
  const start = at + 1 + lengthBytes
  contentEnd = start + length
  if (contentEnd > limit) throw new CodecError('codec/rlp', `RLP item of ${length} bytes runs past its end by ${contentEnd - limit}`)
  if (first === 0x81 && (data[start] as number) < 0x80) throw new CodecError('codec/rlp', 'a single byte below 0x80 must be its own RLP')
  return start
}

function longLength(data: Uint8Array, at: number, n: number, limit: number): number {
  if (at + n > limit) throw new CodecError('codec/rlp', 'RLP length runs past the end')
  if (data[at] === 0) throw new CodecError('codec/rlp', 'RLP length has a leading zero')
  if (n > 6) throw new CodecError('codec/rlp', `RLP length of ${n} bytes is too large`)
  const length = bytesToNumber(data.subarray(at, at + n))
  if (length < 56) throw new CodecError('codec/rlp', 'RLP length below 56 must use the short form')
  return length
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

/** Rejects leading zeroes. */
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
